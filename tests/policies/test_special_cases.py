"""Where dominance decides everything, HEEB is a known policy (Xie, Yang, Chen 2005, section 7)."""

from dataclasses import asdict

import numpy as np
import pytest

import streamjoin_core as sj

MEMORIES = [1, 2, 5, 10, 30]
NAMES = ("policy", "label", "params")


def references(keys) -> sj.Trace:
    return sj.trace_from_arrays(np.arange(len(keys)), np.asarray(keys))


def measures(trace, policy, **options) -> list[dict]:
    runs = sj.replay(trace, policy=policy, mem=MEMORIES, **options).runs
    return [{name: v for name, v in asdict(run).items() if name not in NAMES} for run in runs]


def caching(trace, policy, entry=None) -> list[dict]:
    model = None if entry is None else {str(trace.labels[0]): entry}
    return measures(trace, policy, problem="caching", model=model)


def hits_when_leaving(keys, mem, worth) -> int:
    """Hits where the object of the lowest worth(object, reference) leaves; ties by recency."""
    cached, last_use, hits = set(), {}, 0
    for row, key in enumerate(keys):
        last_use[key] = row
        hits += key in cached
        cached.add(key)
        if len(cached) > mem:
            cached.remove(min(cached, key=lambda one: (worth(one, key), last_use[one])))
    return hits


def zipf_keys(seed, rows=3000, number=40):
    chances = 1 / np.arange(1, number + 1)
    return np.random.default_rng(seed).choice(number, rows, p=chances / chances.sum())


def test_caching_a_stationary_stream_is_a0():
    keys = zipf_keys(1)
    pmf = {str(key): 1 / (key + 1) / 5 for key in range(40)}
    entry = {"kind": "stationary", "pmf": pmf}
    assert caching(references(keys), "heeb", entry) == caching(references(keys), "a0", entry)


def test_caching_by_past_frequencies_is_lfu():
    trace = references(zipf_keys(2))
    assert caching(trace, "heeb", {"kind": "empirical"}) == caching(trace, "lfu")


def test_caching_a_known_future_is_lfd():
    trace = references(zipf_keys(3))
    known = caching(trace, "heeb", {"kind": "offline"})
    assert [run["hits"] for run in known] == [run["hits"] for run in caching(trace, "lfd")]


def test_caching_a_trend_with_uniform_noise_lets_the_smallest_value_go():
    noise = {"kind": "uniform", "bound": 10}
    entry = {"kind": "trend", "slope": 1, "intercept": 0, "noise": noise}
    keys = np.arange(3000) + np.random.default_rng(4).integers(-10, 11, 3000)
    found = [run["hits"] for run in caching(references(keys), "heeb", entry)]
    assert found == [hits_when_leaving(keys.tolist(), mem, lambda v, _: v) for mem in MEMORIES]


@pytest.mark.parametrize("sigma", [1, 2.5])
def test_caching_a_walk_without_drift_lets_the_farthest_value_go(sigma):
    steps = np.rint(np.random.default_rng(5).normal(0, sigma, 3000)).astype(int)
    keys = np.cumsum(steps)
    entry = {"kind": "walk", "drift": 0, "sigma": sigma}
    found = [run["hits"] for run in caching(references(keys), "heeb", entry)]
    farthest = [
        hits_when_leaving(keys.tolist(), mem, lambda v, now: -abs(v - now)) for mem in MEMORIES
    ]
    assert found == farthest


def test_joining_stationary_streams_is_prob():
    trace = sj.generate("zipf", steps=2000, seed=6)
    assert all(entry["kind"] == "stationary" for entry in trace.metadata["model"].values())
    assert measures(trace, "heeb") == measures(trace, "prob")


@pytest.mark.parametrize(
    ("entry", "first"),
    [
        ({"kind": "stationary", "pmf": {"3": 0.1, "5": 0.2, "9": 0.7}}, 3),
        (
            {
                "kind": "trend",
                "slope": 1,
                "intercept": 0,
                "noise": {"kind": "uniform", "bound": 8},
            },
            3,
        ),
        ({"kind": "walk", "drift": 0, "sigma": 1}, 9),
        ({"kind": "offline"}, 5),
    ],
)
def test_the_one_to_leave_is_dominated_by_all_others(entry, first):
    trace = sj.trace_from_arrays(range(8), [9, 3, 5, 4, 5, 3, 9, 5])
    keys = [3, 5, 9]
    model = {str(trace.labels[0]): entry}
    ecbs = [sj.ecb(trace, key, at=4, horizon=200, model=model, problem="caching") for key in keys]
    assert [keys[at] for at in sj.dominated_subset(ecbs, 1)] == [first]
