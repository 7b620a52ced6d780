"""HEEB for caching against first-use probabilities that are enumerated in plain Python."""

from math import exp, floor

import numpy as np
import pytest

import streamjoin_core as sj
from tests.oracle.slow_heeb import noise_masses, rounded_mass

VALUES = range(-60, 61)  # integers that enumeration goes over


def next_masses(model: dict, value: int, time: int) -> dict:
    """Pr{X_time = v} when the reference before was to `value`."""
    if model["kind"] == "stationary":
        return {int(key): p for key, p in model["pmf"].items()}
    if model["kind"] == "trend":
        line = floor(model["slope"] * time + model["intercept"] + 0.5)
        return {line + y: p for y, p in noise_masses(**model["noise"]).items()}
    centre = value + model["drift"] if model["kind"] == "walk" else None
    if centre is None:
        centre = model["phi0"] + model["phi1"] * value
    near = range(floor(centre) - 9, floor(centre) + 11)
    return {v: rounded_mass(v - centre, model["sigma"]) for v in near if v in VALUES}


def first_use(model, value, key, now, life, waits) -> float:
    """The defining sum: mass that has not been at `key` before moves on, and counts when it is."""
    mass, total = {value: 1.0}, 0.0
    for wait in range(1, waits + 1):
        moved = {}
        for at, p in mass.items():
            for to, q in next_masses(model, at, now + wait).items():
                moved[to] = moved.get(to, 0.0) + p * q
        total += life(wait) * moved.pop(key, 0.0)
        mass = moved
    return total


def slow_hits(keys, model, mem, life, waits, observed=None) -> int:
    """`observed` is told how long each that is thrown out was cached."""
    cached, entered, last_use, hits = set(), {}, {}, 0
    for now, key in enumerate(keys):
        hits += key in cached
        last_use[key] = now
        if key in cached:
            continue
        cached.add(key)
        entered[key] = now
        if len(cached) > mem:
            scores = {k: first_use(model, key, k, now, life, waits) for k in cached}
            worst = min(cached, key=lambda k: (float(f"{scores[k]:.9e}"), last_use[k]))
            cached.remove(worst)
            if observed is not None and worst != key:
                observed.append(now - entered[worst])
    return hits


MODELS = {
    "stationary": {"kind": "stationary", "pmf": {"0": 0.3, "1": 0.25, "2": 0.2, "4": 0.15}},
    "trend": {
        "kind": "trend",
        "slope": 0.5,
        "intercept": 0,
        "noise": {"kind": "normal", "sigma": 1.5, "bound": 3},
    },
    "walk": {"kind": "walk", "drift": 0.4, "sigma": 1.2},
    "ar1": {"kind": "ar1", "phi0": 1.0, "phi1": 0.6, "sigma": 1.5},
}
LIVES = {
    "alpha=1.5": (lambda wait: exp(-wait / 1.5), 45),
    "life=fixed:4": (lambda wait: 1.0, 4),
}


@pytest.mark.parametrize("given", LIVES)
@pytest.mark.parametrize("kind", MODELS)
def test_decisions_are_those_of_the_defining_sum(kind, given):
    model, (life, waits) = MODELS[kind], LIVES[given]
    for seed in range(2):
        rng = np.random.default_rng(seed)
        centre = {"trend": 0.5, "walk": 0.4}.get(kind, 0.0)
        keys = [int(rng.integers(0, 6) + floor(centre * now)) for now in range(30)]
        (run,) = sj.replay(
            sj.trace_from_arrays(np.arange(len(keys)), np.array(keys)),
            policy=f"heeb:{given}",
            mem=3,
            problem="caching",
            model={"R": model},
        ).runs
        assert run.hits == slow_hits(keys, model, 3, life, waits)


def test_weights_that_never_end():
    """With life inf a stationary object is worth the same whatever its chance; inv ranks them."""
    keys = np.random.default_rng(1).choice([0, 1, 2, 4], 200)
    trace = sj.trace_from_arrays(np.arange(200), keys)
    options = {"mem": 2, "problem": "caching", "model": {"R": MODELS["stationary"]}}
    inf_run, inv_run, a0 = sj.replay(trace, policy="heeb:life=inf,heeb:life=inv,a0", **options).runs
    (lru,) = sj.replay(trace, policy="lru", mem=2, problem="caching").runs
    assert inv_run.hits == a0.hits
    assert inf_run.hits == lru.hits


def harmonic_use(model, key, now, waits) -> float:
    """The expected inverse of the wait for a reference, of independent references."""
    unused, total = 1.0, 0.0
    for wait in range(1, waits + 1):
        chance = next_masses(model, 0, now + wait).get(key, 0.0)
        total += unused * chance / wait
        unused *= 1 - chance
    return total


@pytest.mark.parametrize("slope", [0.5, 0])
def test_a_trend_under_weights_that_never_end(slope):
    noise = {"kind": "normal", "sigma": 1.5, "bound": 3}
    model = {"kind": "trend", "slope": slope, "intercept": 0, "noise": noise}
    rng = np.random.default_rng(8)
    keys = [int(rng.integers(-3, 4) + floor(slope * now)) for now in range(60)]
    trace = sj.trace_from_arrays(np.arange(len(keys)), np.array(keys))
    cached, last_use, hits = set(), {}, 0
    for now, key in enumerate(keys):
        hits += key in cached
        last_use[key] = now
        if key not in cached and len(cached) == 3:
            scores = {k: round(harmonic_use(model, k, now, 900), 9) for k in {*cached, key}}
            cached = {*cached, key} - {min(scores, key=lambda k: (scores[k], last_use[k]))}
        else:
            cached.add(key)
    options = {"mem": 3, "problem": "caching", "model": {"R": model}}
    (run,) = sj.replay(trace, policy="heeb:life=inv", **options).runs
    assert run.hits == hits
    forever, lru = sj.replay(trace, policy="heeb:life=inf,lru", **options).runs
    # What does not move is referenced again for sure, so that all are worth the same.
    assert slope or forever.hits == lru.hits


def test_past_frequencies_rank_under_any_life_that_ends():
    """However long it is beside the trace."""
    trace = sj.trace_from_arrays(np.arange(300), np.random.default_rng(9).choice(12, 300) ** 2 % 7)
    options = {"mem": 2, "problem": "caching", "model": {"R": {"kind": "empirical"}}}
    long, forever, lfu, lru = sj.replay(
        trace, policy="heeb:life=fixed:1000,heeb:life=inf,lfu,lru", **options
    ).runs
    assert (long.hits, forever.hits) == (lfu.hits, lru.hits)
    assert lfu.hits != lru.hits
