"""Models against plain enumeration and against simulation."""

import numpy as np
import pytest
from scipy.stats import chisquare

import streamjoin_core as sj
from streamjoin_core.models.given import KINDS, read_entry
from tests.oracle.slow_heeb import chain_masses, noise_masses, walk_masses

TREND = {"kind": "trend", "slope": 0.7, "intercept": -1}
NOISES = [
    {"kind": "uniform", "bound": 3},
    {"kind": "normal", "sigma": 1.3, "bound": 2},
    {"kind": "normal", "sigma": 0.8},
]
VALUES = np.arange(-12, 13)
STEPS = 20_000


def fits(observed, probabilities):
    """Whether values were drawn from these probabilities of VALUES; rare ones are put together."""
    counts = (observed[:, None] == VALUES).sum(axis=0)
    is_common = probabilities * len(observed) >= 5
    rare = [probabilities[~is_common].sum() + 1e-9]
    expected = np.concatenate([probabilities[is_common], rare])
    found = np.concatenate([counts[is_common], [counts[~is_common].sum()]])
    return chisquare(found, expected / expected.sum() * found.sum()).pvalue > 1e-3


@pytest.mark.parametrize("noise", NOISES)
def test_trend_by_enumeration(noise):
    model = read_entry({**TREND, "noise": noise})
    masses = noise_masses(**noise)
    for time in (0, 3, 10, 15):
        line = int(np.floor(0.7 * time - 1 + 0.5))
        expected = [masses.get(int(v) - line, 0.0) for v in VALUES]
        np.testing.assert_allclose(model.probability(VALUES, time), expected, 1e-9, 1e-18)


@pytest.mark.parametrize("scenario", ["tower", "floor"])
def test_trend_by_simulation(scenario):
    trace = sj.generate(scenario, steps=STEPS, seed=3)
    model = read_entry(trace.metadata["model"]["R"])
    is_left = trace.stream == 0
    noise = trace.key_values[trace.key[is_left]] - (trace.time[is_left] - 1)
    assert fits(noise, model.probability(VALUES, 1))


@pytest.mark.parametrize("drift", [0.0, 0.4])
@pytest.mark.parametrize("ahead", [1, 2, 5])
def test_walk_by_enumeration_and_simulation(drift, ahead):
    model = read_entry({"kind": "walk", "drift": drift, "sigma": 1})
    found = model.probability(VALUES + 100, 100, ahead)
    masses = walk_masses(drift, 1, ahead)
    np.testing.assert_allclose(found, [masses[v] for v in VALUES.tolist()], 1e-9)
    moves = np.floor(drift + np.random.default_rng(1).standard_normal((STEPS, ahead)) + 0.5)
    assert fits(moves.sum(axis=1), found)


@pytest.mark.parametrize("ahead", [1, 2, 5])
def test_ar1_by_enumeration_and_simulation(ahead):
    model = read_entry({"kind": "ar1", "phi0": 0.5, "phi1": 0.6, "sigma": 1})
    found = model.probability(VALUES, 3, ahead)
    masses = chain_masses(0.5, 0.6, 1, 3, ahead)
    np.testing.assert_allclose(found, [masses[v] for v in VALUES.tolist()], 1e-8)
    rng, value = np.random.default_rng(2), np.full(STEPS, 3)
    for _ in range(ahead):
        value = np.floor(0.5 + 0.6 * value + rng.standard_normal(STEPS) + 0.5)
    assert fits(value, found)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"kind": "trend", "slope": 1, "intercept": 0}, "no noise"),
        ({**TREND, "noise": {"kind": "uniform"}}, "bound"),
        ({**TREND, "noise": {"kind": "normal", "sigma": 0}}, "sigma"),
        ({**TREND, "slope": "x", "noise": NOISES[0]}, "slope"),
        ({"kind": "walk", "drift": 0}, "sigma"),
        ({"kind": "walk", "drift": float("nan"), "sigma": 1}, "drift"),
        ({"kind": "ar1", "phi0": 0, "phi1": 1, "sigma": 1}, "phi1"),
        ({"kind": "stationary"}, "pmf"),
    ],
)
def test_bad_entries_are_named(entry, says):
    with pytest.raises(sj.InputError, match=says):
        sj.replay(sj.generate("tower", steps=5), policy="fifo", mem=1, model={"R": entry})


def test_every_kind_has_its_file():
    for kind in KINDS:
        __import__(f"streamjoin_core.models.{kind}")
