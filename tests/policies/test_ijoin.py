"""iJoin: the paper's worked example cell by cell, the slow one, and settings at the edge."""

import os
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import streamjoin_core as sj
from streamjoin_core.checks.cases import join_of, random_trace
from streamjoin_core.engine import shortlist
from streamjoin_core.engine.joining import JoinTask
from streamjoin_core.engine.ways import CACHED
from streamjoin_core.policies.registry import parse_policy
from streamjoin_core.trace.trace import Redefinition
from tests.oracle.slow_ijoin import SlowIJoin
from tests.oracle.slow_join import slow_replay
from tests.oracle.strategies import join_cases
from tests.small_traces import trace
from tests.test_against_oracle import as_trace, check_join, fast_run

SETTINGS = (
    "tau=2,delta=3",
    "tau=0,delta=0",
    "c=0",
    "tau=0,delta=50,c=0.25",
    "delta=100000",
    "tau=10,delta=20",
    "decay=0.1",
    "decay=0.01,c=0",
    "initial=0,recompute=k-successive,k=30",
    "recompute=k-successive,k=5",
    "recompute=adaptive,epsilon=0.5",
    "recompute=adaptive,epsilon=0.1,initial=0,tau=10",
)
EXAMPLES = int(os.environ.get("SJOIN_EXAMPLES", "600")) // 2

# Kulkarni and Ravishankar 2008, Table 1: an arrival of each stream at times 1 to 8.
TABLE_1 = "1Ra 1Sb 2Rb 2Sa 3Rc 3Sb 4Rd 4Sb 5Rd 5Sc 6Rb 6Sc 7Ra 7Sd 8Rc 8Sa"
IMPORTANCE = {"a": 1, "b": 2, "c": 3, "d": 4}
# After each of the steps 2 to 8: memory of R and of S, results, and their importance.
EXACT = (
    "ab ba ab 3",
    "abc bab b 2",
    "abcd babb b 2",
    "abcdd babbc c 3",
    "abcddb babbcc bbbc 9",
    "abcddba babbccd add 9",
    "abcddbac babbccda aacc 8",
)
FIFO = ("ab ba ab 3", "bc ab b 2", "cd bb - 0", "dd bc - 0", "db cc - 0", "ba cd - 0", "ac da a 1")
GREEDY = (
    "ab ba ab 3",
    "bc bb b 2",
    "cd bb - 0",
    "dd bc - 0",
    "dd cc - 0",
    "dd cd dd 8",
    "dd cd - 0",
)
# With tau = 0, delta = 3 and c = 1, the scores at evictions, R then S, * who leaves:
#   3: *a 1*1/2, b 2*1/1      *b 2*1/2, a 1*1/1 (equal: the earlier one leaves)
#   4: b 2*2/2, *c 0          *a 1*1/2, b 2*1/1
#   5: b 2*3/3, *d 0          *b 2*1/2, b 2*1/1
#   6: b 2*3/4, *d 0          b 2*1/2, *c 0
#   7: *b 2*3/5 - 3, b 2*1/1  b 2*2/3, *c 0
#   8: b 2*1/2, *a 0          b 2*2/4, *d 0
IJOIN = ("ab ba ab 3", "bc ab b 2", "bd bb b 2", "bd bc - 0", "bb bc b 2", "ba bd - 0", "bc ba - 0")


def example() -> sj.Trace:
    weights = [float(IMPORTANCE[word[-1]]) for word in TABLE_1.split()]
    return trace(TABLE_1, importance=weights)


def cells(policy: str) -> tuple[str, ...]:
    """The tables' rows as the fast engine gives them, under evict-first with two tuples each."""
    arrivals = example()
    join = join_of(arrivals, window=(8, 8), evict_first=True)
    found, params = parse_policy(policy)
    facts = found.joining(JoinTask(join, params, (2, 2), records=True))
    # Of this trace nobody expires, and `exact` records nothing.
    leaving = np.full(len(arrivals), 9)
    if facts.ways is not None:
        leaving = np.where(facts.ways == CACHED, 9, facts.leaving)
    return tuple(row_of_table(arrivals, now, leaving > now) for now in range(2, 9))


def row_of_table(arrivals, now, stays) -> str:
    names, time = arrivals.key_values[arrivals.key], arrivals.time
    here = stays & (time <= now)
    left, right = (np.flatnonzero(here & (arrivals.stream == side)) for side in range(2))
    made = sorted(
        names[x]
        for x in left
        for y in right
        if names[x] == names[y] and time[x] != time[y] and now in time[[x, y]]
    )
    importance = sum(IMPORTANCE[key] for key in made)
    memories = (names[side].sum() for side in (left, right))
    return " ".join([*memories, "".join(made) or "-", str(importance)])


@pytest.mark.parametrize(
    ("policy", "table", "importance", "results"),
    [
        ("exact", EXACT, 36, 16),
        ("fifo", FIFO, 6, 4),
        ("greedy", GREEDY, 13, 5),
        ("ijoin:tau=0", IJOIN, 9, 5),
    ],
)
def test_worked_example(policy, table, importance, results):
    assert cells(policy) == table
    (run,) = replay(example(), policy, window=8, order="evict-first").runs
    assert (run.importance, run.results) == (importance, results)


def test_worked_example_joins_more_if_it_probes_first():
    runs = replay(example(), "fifo,greedy", window=8).runs
    assert [(run.importance, run.results) for run in runs] == [(20, 9), (23, 9)]


def replay(arrivals, policy, **options):
    return sj.replay(arrivals, policy=policy, mem=4, split="even", **options)


@st.composite
def cases(draw):
    rows, options = draw(join_cases(["fifo"]))
    params = {
        "tau": draw(st.integers(0, 6)),
        "delta": draw(st.integers(0, 6)),
        "c": draw(st.sampled_from([0, 1, 0.25, 2])),
        "decay": draw(st.sampled_from([0, 0, 0.3, 1])),
        "recompute": draw(st.sampled_from(["successive", "k-successive", "adaptive"])),
        "k": draw(st.integers(1, 4)),
        "epsilon": draw(st.sampled_from([0, 0.25, 0.5])),
        "bucket": draw(st.integers(1, 4)),
    }
    initial = draw(st.sampled_from([None, 0, 1.5]))
    if initial is not None:
        params["initial"] = initial
    return rows, {**options, "policy": "ijoin", "params": params, "mem": draw(st.integers(1, 8))}


def check_against_the_slow_one(case):
    rows, options = case
    slow = slow_replay(rows, kind=SlowIJoin, **options)
    check_join(fast_run(as_trace(rows), **options), slow)


@settings(max_examples=EXAMPLES, phases=[Phase.generate])
@given(cases())
def test_against_the_slow_one(case):
    check_against_the_slow_one(case)


@settings(max_examples=EXAMPLES, phases=[Phase.generate])
@given(cases(), st.integers(1, 3))
def test_short_lists_against_the_slow_one(case, full):
    with patch.multiple(shortlist, FEW=0, FULL=full, PAUSE=0):
        check_against_the_slow_one(case)


@pytest.mark.parametrize("weights", ["none", "whole", "fractions", "by time"])
@pytest.mark.parametrize("settings", SETTINGS)
def test_short_lists_decide_as_a_look_at_all(settings, weights):
    """Where lists are long and last: with equal priorities, with some that fall and some not."""
    for seed, at_a_time in ((0, 1), (1, 1), (2, 20)):
        join = many_arrivals(seed, at_a_time, weights)
        policy, params = parse_policy(f"ijoin:{settings}")
        task = JoinTask(join, params, (60, 60), records=True)
        with patch.multiple(shortlist, FEW=1000):
            plain = policy.joining(task)
        with patch.multiple(shortlist, FEW=20, PAUSE=0):
            listed = policy.joining(task)
        assert plain.evicted > 200
        np.testing.assert_array_equal(listed.leaving, plain.leaving)
        np.testing.assert_array_equal(listed.ways, plain.ways)
        assert listed.recomputations == plain.recomputations


def many_arrivals(seed: int, at_a_time: int, weights: str):
    """Some 1,500 arrivals of both streams with keys of many frequencies."""
    random = np.random.default_rng(seed)
    number = 1500
    key = np.minimum(random.zipf(1.3, number), 200).astype(np.int32) - 1
    importance = {
        "whole": random.integers(0, 4, number).astype(float),
        "fractions": random.random(number),
    }
    base = sj.Trace(
        time=np.sort(random.integers(0, number // at_a_time, number)),
        stream=random.integers(0, 2, number).astype(np.uint8),
        key=key,
        key_values=np.arange(200),
        labels=("R", "S"),
        importance=importance.get(weights),
    )
    if weights == "by time":
        table = random.integers(0, 4, (3, 200)).astype(float)
        starts = base.time[[number // 3, number // 2]]
        base = replace(
            base, importance=table[0][key], redefinition=Redefinition(starts, table, key)
        )
    return join_of(base, window=(400, 500), evict_first=bool(seed % 2))


def arrivals_of(seed: int) -> sj.Trace:
    return random_trace(seed, 400)


def run_of(seed: int, policy: str, **options):
    options = {"mem": 8, "window": 40} | options
    (run,) = sj.replay(options.pop("trace", arrivals_of(seed)), policy=policy, **options).runs
    return run


def facts(run) -> dict:
    """What a run came to, whatever it was called."""
    return {name: value for name, value in vars(run).items() if name not in ("label", "params")}


@pytest.mark.parametrize("order", ["probe-first", "evict-first"])
@pytest.mark.parametrize("split", ["even", "shared"])
def test_one_eviction_per_recomputation_is_successive(order, split):
    for seed in range(5):
        one = run_of(seed, "ijoin:recompute=k-successive,k=1", order=order, split=split)
        other = run_of(seed, "ijoin", order=order, split=split)
        assert facts(one) == facts(other)
        assert one.recomputations == one.evicted > 0


def test_recomputations_of_each_scheme():
    for seed in range(5):
        run = run_of(seed, "ijoin:recompute=k-successive,k=7", split="shared")
        assert run.recomputations == -(-run.evicted // 7)
        rare = run_of(seed, "ijoin:recompute=adaptive,epsilon=1")
        assert rare.recomputations == 2  # nothing falls by more than all: the first of each part
        often = run_of(seed, "ijoin:recompute=adaptive,epsilon=0,bucket=1")
        assert rare.recomputations < often.recomputations < often.evicted


def test_without_maturity_only_free_memory_is_entered():
    for seed in range(5):
        run = run_of(seed, "ijoin:tau=1000000")
        assert run.evicted == run.recomputations == 0
        assert facts(run) == facts(run_of(seed, "until-expiry", split="even")) | {
            "policy": "ijoin",
            "recomputations": 0,
        }


def test_delta_0_fines_everybody():
    """The penalty of one who has just matched is 0, so only the fine tells apart if c is large."""
    for seed in range(5):
        run = run_of(seed, "ijoin:tau=0,delta=0,c=1000")
        assert run.results == run_of(seed, "ijoin:tau=0,delta=0,c=2000").results


def test_without_importance_or_with_equal_ones_or_none():
    for seed in range(5):
        base = arrivals_of(seed)
        weights = {
            weight: replace(base, importance=None if weight is None else np.full(400, weight))
            for weight in (None, 1.0, 0.3, 0.0)
        }
        plain, ones, thirds, zeros = (
            run_of(seed, "ijoin:tau=0,c=0", trace=one) for one in weights.values()
        )
        assert facts(plain) == facts(ones)
        # Scores that differ by a factor only rank alike, and where all are equal the oldest goes.
        assert (thirds.results, thirds.fairness) == (ones.results, ones.fairness)
        assert zeros.results == run_of(seed, "fifo", trace=base, split="even").results
        assert zeros.importance_recall is None


def test_memory_is_divided_unless_it_is_to_be_shared():
    report = sj.replay(arrivals_of(1), policy="ijoin,fifo", mem=9, window=40)
    assert [run.parts for run in report.runs] == [(5, 4), None]
    assert report.options["split"] == "shared (even for ijoin)"
    report = sj.replay(arrivals_of(1), policy="ijoin,fifo", mem=9, window=40, split="shared")
    assert [run.parts for run in report.runs] == [None, None]


def test_times_of_any_unit_give_the_same_run():
    """tau, delta, c and decay are in seconds for timestamps, whatever unit stores them."""
    base = arrivals_of(2)
    for params in ("tau=2,delta=3,c=0.5", "tau=2s,delta=3000ms,decay=0.1"):
        runs = [
            run_of(2, f"ijoin:{params}", trace=in_unit(base, unit), window="40s")
            for unit in ("s", "ms", "us")
        ]
        assert len({(run.results, run.importance, run.fairness) for run in runs}) == 1
    plain = run_of(2, "ijoin:tau=2,delta=3,c=0.5", trace=base)
    assert (
        plain.results == run_of(2, "ijoin:c=0.5", trace=in_unit(base, "ms"), window="40s").results
    )


def test_limits_between_two_times():
    """An age above 1.5 s is one of 2 s or more, and so is an idle time of at least 1.5 s."""
    for seed in range(5):
        base = in_unit(arrivals_of(seed), "s")
        between, fine = (
            run_of(seed, f"ijoin:{text}", trace=one, window="40s")
            for text, one in [
                ("tau=1.5,delta=1500ms", base),
                ("tau=1.5s,delta=1.5", in_unit(arrivals_of(seed), "ms")),
            ]
        )
        whole = run_of(seed, "ijoin:tau=1,delta=2", trace=base, window="40s")
        assert facts(between) == facts(fine) == facts(whole)


@pytest.mark.parametrize("decay", [0, 0.1])
def test_importances_near_the_largest_number(decay):
    """A factor common to importances and fine changes nothing, however large it is."""
    weights = np.random.default_rng(0).integers(0, 9, 400).astype(float)
    runs = [
        run_of(3, f"ijoin:c={factor},decay={decay}", trace=replace(arrivals_of(3), importance=each))
        for factor, each in ((1.0, weights), (2.0**1000, weights * 2.0**1000))
    ]
    one, huge = ((run.results, run.evicted, run.dropped, run.fairness) for run in runs)
    assert one == huge


def in_unit(base, unit) -> sj.Trace:
    factor = {"s": 1, "ms": 10**3, "us": 10**6}[unit]
    return replace(base, time=base.time * factor, time_unit=unit)


@pytest.mark.parametrize("policy", ["ijoin:tau=-1", "ijoin:tau=2s", "ijoin:c=-1", "ijoin:k=0"])
def test_bad_parameters(policy):
    with pytest.raises(sj.InputError):
        run_of(0, policy)
