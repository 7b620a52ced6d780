"""ECBs against all futures, dominance against all subsets and all strategies, and the counter."""

import os
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import streamjoin_core as sj
from tests.oracle.slow_dominance import is_dominated, slow_decisions
from tests.oracle.slow_heeb import chain_masses, noise_masses, walk_masses
from tests.policies.test_heeb import cases
from tests.test_against_oracle import as_trace

EXAMPLES = int(os.environ.get("SJOIN_EXAMPLES", "600"))
ROWS = [(1, "R", 0), (1, "S", 1), (2, "R", 2), (2, "S", -1), (3, "R", 1), (3, "S", 0)]
ROWS += [(4, "S", 1), (6, "S", 2), (6, "R", 0), (7, "S", 1)]
HISTORY = sj.trace_from_arrays(*map(np.array, zip(*[(t, k, s) for t, s, k in ROWS], strict=True)))
NOW, AHEAD = 3, 3
KINDS = {
    "stationary": {"kind": "stationary", "pmf": {"0": 0.5, "1": 0.25, "7": 0.25}},
    "trend": {
        "kind": "trend",
        "slope": 0.5,
        "intercept": -1,
        "noise": {"kind": "uniform", "bound": 1},
    },
    "walk": {"kind": "walk", "drift": 0.3, "sigma": 0.4},
    "ar1": {"kind": "ar1", "phi0": 0.4, "phi1": 0.5, "sigma": 0.4},
    "empirical": {"kind": "empirical"},
    "offline": {"kind": "offline"},
}


def next_values(entry, time, last):
    """Values of one arrival of S, given the one before, as (value, probability)."""
    if entry["kind"] == "stationary":
        return [(int(key), p) for key, p in entry["pmf"].items()]
    if entry["kind"] == "trend":
        line = int(np.floor(entry["slope"] * time + entry["intercept"] + 0.5))
        return [(line + y, p) for y, p in noise_masses(**entry["noise"]).items()]
    if entry["kind"] == "walk":
        moves = walk_masses(entry["drift"], entry["sigma"], 1)
        return [(last + move, p) for move, p in moves.items() if p > 1e-12]
    if entry["kind"] == "ar1":
        values = chain_masses(entry["phi0"], entry["phi1"], entry["sigma"], last, 1)
        return [(value, p) for value, p in values.items() if p > 1e-12]
    past = [key for when, stream, key in ROWS if stream == "S" and when <= NOW]
    return [(key, 1 / len(past)) for key in past]


def futures(entry):
    """Sequences of what S brings in the next time units, a list for each, with probabilities."""
    if entry["kind"] == "offline":
        coming = [
            [key for when, stream, key in ROWS if stream == "S" and when == NOW + ahead]
            for ahead in range(1, AHEAD + 1)
        ]
        return [(coming, 1.0)]
    grown = [([], 0, 1.0)]  # S's last arrival was a 0
    for ahead in range(1, AHEAD + 1):
        grown = [
            ([*path, [value]], value, weight * p)
            for path, last, weight in grown
            for value, p in next_values(entry, NOW + ahead, last)
        ]
    return [(path, weight) for path, _, weight in grown]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [{}, {"window": 3, "arrived": 2}, {"band": (0, 1)}])
def test_the_ecb_of_joining_is_the_mean_over_all_futures(kind, options):
    low, high = options.get("band", (0, 0))
    units = 2 if "window" in options else AHEAD
    for key in (-1, 0, 1, 2, 5):
        expected = np.zeros(AHEAD)
        for path, weight in futures(KINDS[kind]):
            found = [sum(low <= value - key <= high for value in unit) for unit in path]
            expected += weight * np.cumsum(found[:units] + [0] * (AHEAD - units))
        model = {"S": KINDS[kind], "R": {"kind": "empirical"}}
        curve = sj.ecb(HISTORY, key, stream="R", at=NOW, horizon=AHEAD, model=model, **options)
        assert curve == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_ecb_of_caching_is_the_chance_of_a_first_use(kind):
    references = sj.trace_from_arrays(
        np.array([t for t, s, _ in ROWS if s == "S"]), np.array([k for _, s, k in ROWS if s == "S"])
    )
    (label,) = references.labels
    for key in (-1, 0, 1, 2, 5):
        expected = np.zeros(AHEAD)
        for path, weight in futures(KINDS[kind]):
            expected += weight * np.maximum.accumulate([key in unit for unit in path])
        curve = sj.ecb(
            references,
            key,
            at=NOW,
            horizon=AHEAD,
            model={str(label): KINDS[kind]},
            problem="caching",
        )
        assert curve == pytest.approx(expected, abs=1e-9)


CURVES = st.integers(1, 3).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(0, 3), min_size=width, max_size=width), min_size=1, max_size=5
    )
)


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
@given(CURVES, st.integers(0, 5))
def test_the_largest_dominated_subset(curves, at_most):
    numbered = dict(enumerate(curves))
    sizes = [
        size
        for size in range(min(at_most, len(curves)) + 1)
        for subset in combinations(numbered, size)
        if is_dominated(set(subset), numbered)
    ]
    found = sj.dominated_subset(curves, at_most)
    assert len(found) == max(sizes)
    assert is_dominated(set(found), numbered)


@settings(max_examples=max(1, EXAMPLES // 10), deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_no_strategy_does_better_than_one_that_lets_a_dominated_subset_go(seed):
    """All online strategies on random processes of three values, over three time units."""
    rng = np.random.default_rng(seed)
    values, units, mem = 3, 3, 2
    chance = rng.dirichlet(np.ones(values) / 2, (2, units))  # [stream, unit, value]

    @cache
    def best(unit, held):
        """The most results from here on, with so many units over."""
        if unit == units:
            return 0.0
        total = 0.0
        for brought in product(range(values), repeat=2):
            weight = chance[0, unit, brought[0]] * chance[1, unit, brought[1]]
            found = sum(brought[1 - stream] == key for stream, key in held)
            candidates = (*held, (0, brought[0]), (1, brought[1]))
            kept = {tuple(sorted(some)) for some in combinations(candidates, mem)}
            total += weight * (found + max(best(unit + 1, some) for some in kept))
        return total

    candidates = [(int(s), int(k)) for s, k in zip(*rng.integers(0, (2, 3), (4, 2)).T, strict=True)]
    ecbs = [np.cumsum(chance[1 - stream, :, key]) for stream, key in candidates]
    after = {
        gone: best(0, tuple(sorted(candidates[i] for i in range(4) if i not in gone)))
        for gone in combinations(range(4), 2)
    }
    dominated = set(sj.dominated_subset(ecbs, 2))
    most = max(value for gone, value in after.items() if dominated <= set(gone))
    assert most == pytest.approx(max(after.values()), abs=1e-12)


@settings(max_examples=EXAMPLES // 8, deadline=None, derandomize=True, phases=[Phase.generate])
@given(cases(), st.sampled_from(["fifo", "rand", "prob"]))
def test_the_counter_equals_all_subsets(case, policy):
    rows, options, models, *_ = case
    options["order"] = "probe-first"
    if any(model["kind"] == "walk" for model in models):
        options["window"] = options["window"] or 5
    slow = slow_decisions(rows, policy=policy, models=models, **options)
    assert decisions(rows, policy, models, options) == slow


def decisions(rows, policy, models, options) -> dict:
    model = dict(zip("RS", models, strict=True))
    report = sj.replay(as_trace(rows), policy=policy, model=model, dominance=True, **options)
    names = ("decisions", "decidable_decisions", "optimal_decisions")
    return {name: getattr(report.runs[0], name) for name in names}


@settings(max_examples=EXAMPLES // 6, deadline=None, derandomize=True, phases=[Phase.generate])
@given(cases())
def test_heeb_agrees_with_dominance(case):
    """Theorem 2: whatever can be decided, it decides so."""
    rows, options, models, alpha, _ = case
    options["order"] = "probe-first"
    policy = f"heeb:alpha={alpha or 3}"
    counts = decisions(rows, policy, models, options)
    assert counts["optimal_decisions"] == counts["decidable_decisions"] <= counts["decisions"]


def test_refusals():
    trace = sj.generate("tower", steps=20, seed=1)
    with pytest.raises(sj.InputError, match="for joining, probe-first"):
        sj.replay(trace, policy="heeb", mem=2, order="evict-first", dominance=True)
    plain = sj.trace_from_arrays([1, 2], [1, 1], ["R", "S"])
    with pytest.raises(sj.InputError, match="need a model"):
        sj.replay(plain, policy="fifo", mem=2, dominance=True)
    with pytest.raises(sj.InputError, match="no step has that time"):
        sj.ecb(plain, 1, stream="R", at=5, horizon=2)
    with pytest.raises(sj.InputError, match="stream is 'T'"):
        sj.ecb(plain, 1, stream="T", at=2, horizon=2)
    for key in ("a", 1.5, 2**64, None, float("nan")):
        with pytest.raises(sj.InputError, match="not of the kind"):
            sj.ecb(plain, key, stream="R", at=2, horizon=2)
    with pytest.raises(sj.InputError, match="problem 'cache' is unknown"):
        sj.ecb(plain, 1, stream="R", at=2, horizon=2, problem="cache")
    with pytest.raises(sj.InputError, match="number of at least 1"):
        sj.ecb(plain, 1, stream="R", at=2, horizon=0)
