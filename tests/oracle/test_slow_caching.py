"""The slow caching oracle itself, by hand and by exhaustive search."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.slow_caching import slow_caching


def replay(keys, policy, mem, **options):
    return slow_caching(list(keys), list(range(len(keys))), policy=policy, mem=mem, **options)


@pytest.mark.parametrize(
    ("policy", "keys", "mem", "hits", "evicted", "dropped", "cached"),
    [
        ("lru", "abacb", 2, 1, 2, 0, "bc"),
        ("fifo", "abaca", 2, 1, 2, 0, "ac"),
        ("lfu", "aabc", 1, 1, 0, 2, "a"),
        ("lfu", "ab", 1, 0, 1, 0, "b"),  # equal counts: the least recently referenced goes
        ("lru-k", "abac", 2, 1, 1, 0, "ac"),  # b and c have one reference each
        ("lru-k", "abacb", 2, 1, 2, 0, "ab"),  # b's history survived its eviction
        ("lfd", "abcabc", 2, 2, 1, 1, "bc"),  # c bypassed at first; at the end a, b, c tie
        ("rand", "abc", 1, 0, 1, 1, "c"),  # draws 0.883 and 0.431 of 2
    ],
)
def test_worked_cases(policy, keys, mem, hits, evicted, dropped, cached):
    run = replay(keys, policy, mem)
    assert (run["hits"], run["evicted"], run["dropped"]) == (hits, evicted, dropped)
    assert run["cached_after"][-1] == set(cached)


def test_a0_keeps_the_most_probable():
    run = replay("abcb", "a0", 1, pmf={"a": 0.25, "b": 0.5})
    assert (run["hits"], run["evicted"], run["dropped"]) == (1, 1, 1)
    assert run["cached_after"][-1] == {"b"}


def test_lifetimes_and_warmup():
    # a is evicted by b after 2, b by c after 6; the first two times are warm-up.
    run = slow_caching(list("aabbc"), [0, 0, 2, 7, 8], policy="lru", mem=1, warmup=2)
    assert (run["references"], run["hits"], run["hit_ratio"]) == (2, 1, 0.5)
    assert (run["mean_lifetime"], run["fairness"]) == (4.0, 0.8)
    assert slow_caching([], [], policy="lru", mem=1)["hit_ratio"] is None


def most_hits(keys, mem, cached=frozenset()):
    """The largest number of hits over all choices of what to keep, by trying them all."""
    if not keys:
        return 0
    key, rest = keys[0], keys[1:]
    if key in cached:
        return 1 + most_hits(rest, mem, cached)
    candidates = cached | {key}
    if len(candidates) <= mem:
        return most_hits(rest, mem, candidates)
    return max(most_hits(rest, mem, candidates - {victim}) for victim in candidates)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from("abcd"), max_size=9), st.integers(1, 3), st.integers(0, 99))
def test_nothing_beats_lfd(keys, mem, seed):
    best = most_hits(keys, mem)
    assert replay(keys, "lfd", mem)["hits"] == best
    for policy in ("lru", "lfu", "lru-k", "fifo", "rand"):
        run = replay(keys, policy, mem, seed=seed)
        assert run["hits"] <= best
        assert all(len(cached) <= mem for cached in run["cached_after"])


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from("abcde"), max_size=25), st.integers(1, 4))
def test_lru_is_lru_1(keys, mem):
    assert replay(keys, "lru", mem) == replay(keys, "lru-k", mem, params={"k": 1})
