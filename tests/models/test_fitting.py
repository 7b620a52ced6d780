"""Fitted models: true parameters found again, the right kind chosen, likelihoods by plain sums."""

import csv
from dataclasses import replace
from itertools import pairwise
from math import log
from pathlib import Path

import numpy as np
import pytest

import streamjoin_core as sj
from streamjoin_core.models.fitting import fitters
from streamjoin_core.models.given import KINDS, read_entry
from tests.small_traces import references

MELBOURNE = Path(__file__).parents[3] / "shared" / "data" / "melbourne_daily_max_1981_1990.csv"


def fit_stream(trace, label="R", **options):
    (found,) = sj.fit(trace, stream=label, **options).streams
    return found


def of_values(values, times=None):
    times = np.arange(len(values)) if times is None else times
    return sj.trace_from_arrays(times, values, np.repeat("R", len(values)))


def simulated(phi0, phi1, sigma, gaps, seed=0):
    """An AR(1), or with phi1 = 1 a walk, that is seen after each of the gaps only."""
    rng, value, seen = np.random.default_rng(seed), 0, []
    for gap in gaps:
        for _ in range(gap):
            value = int(np.floor(phi0 + phi1 * value + sigma * rng.standard_normal() + 0.5))
        seen.append(value)
    return of_values(seen, np.cumsum(gaps))


@pytest.mark.parametrize("scenario", ["tower", "roof", "floor"])
@pytest.mark.parametrize("label", ["R", "S"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_trends_are_found_again(scenario, label, seed):
    trace = sj.generate(scenario, seed=seed)
    true, entry = trace.metadata["model"][label], fit_stream(trace, label).chosen.entry
    assert (entry["slope"], entry["intercept"]) == (true["slope"], true["intercept"])
    noise, told = entry["noise"], true["noise"]
    assert noise["kind"] == told["kind"]
    if scenario == "tower":  # a bound of ten deviations leaves no trace
        assert "bound" not in noise
    else:
        assert noise["bound"] == told["bound"]
    if "sigma" in told:
        assert noise["sigma"] == pytest.approx(told["sigma"], rel=0.05)


@pytest.mark.parametrize("slope", [0.37, -2.5])
def test_trends_of_other_slopes(slope):
    rng = np.random.default_rng(5)
    time = np.arange(3000)
    values = np.floor(slope * time + 40 + 0.5).astype(int) + rng.integers(-6, 7, len(time))
    entry = fit_stream(of_values(values, time)).chosen.entry
    assert entry["noise"] == {"kind": "uniform", "bound": 6}
    assert entry["slope"] == pytest.approx(slope, abs=1e-3)
    assert entry["slope"] * 1500 + entry["intercept"] == pytest.approx(slope * 1500 + 40, abs=0.6)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_walks_are_found_again(seed):
    for drift in (0.0, 0.3):
        entry = fit_stream(sj.generate("walk", seed=seed, drift=drift)).chosen.entry
        assert entry["kind"] == "walk"
        assert entry["drift"] == pytest.approx(drift, abs=0.05)
        assert entry["sigma"] == pytest.approx(1, rel=0.04)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_ar1_is_found_again(seed):
    entry = fit_stream(sj.generate("ar1", seed=seed), problem="caching").chosen.entry
    assert entry["kind"] == "ar1"
    assert entry["phi1"] == pytest.approx(0.72, abs=0.04)
    assert entry["phi0"] / (1 - entry["phi1"]) == pytest.approx(55.9 / 0.28, abs=10)
    assert entry["sigma"] == pytest.approx(42.2, rel=0.04)


def test_stationary_is_found_again():
    trace = sj.generate("zipf", seed=1)
    for label in "RS":
        entry, true = fit_stream(trace, label).chosen.entry, trace.metadata["model"][label]
        assert entry["kind"] == "stationary"
        assert sum(entry["pmf"].values()) == pytest.approx(1)
        for key, chance in true["pmf"].items():
            assert entry["pmf"].get(key, 0) == pytest.approx(chance, abs=0.02)


@pytest.mark.parametrize(("phi0", "phi1", "kind"), [(0.1, 1, "walk"), (2, 0.8, "ar1")])
@pytest.mark.parametrize("sigma", [0.5, 8])
def test_gaps_count_as_so_many_units(phi0, phi1, kind, sigma):
    gaps = np.random.default_rng(1).integers(1, 5, 1500)
    found = fit_stream(simulated(phi0, phi1, sigma, gaps))
    entry = found.chosen.entry
    assert entry["kind"] == kind
    assert entry["sigma"] == pytest.approx(sigma, rel=0.06)
    assert entry.get("phi1", 1) == pytest.approx(phi1, abs=0.05)
    assert found.longest_gap == 4
    # Exact where that is quick, which it is for the few values of small steps.
    assert (found.chosen.note is None) == (sigma < 1)


@pytest.mark.parametrize("kind", ["trend", "walk", "ar1"])
@pytest.mark.parametrize("gaps", [[1] * 40, [1, 2, 1, 3] * 10])
def test_likelihood_is_the_sum_of_the_models_own_probabilities(kind, gaps):
    trace = simulated(2, 0.8, 1.2, gaps)
    if kind == "trend":
        trace = of_values(trace.key_values[trace.key] + trace.time // 2, trace.time)
    values, times = trace.key_values[trace.key].tolist(), trace.time.tolist()
    for one in fit_stream(trace, kind=kind).candidates:
        model = read_entry(one.entry)
        total = smaller = 0.0
        for (before, last), (now, value) in pairwise(zip(times, values, strict=True)):
            up_to = np.arange(value - 60, value + 1)
            asked = (now,) if kind == "trend" else (last, now - before)
            chances = model.probability(up_to, *asked)
            total += log(chances[-1])
            smaller += chances[:-1].sum()
        assert one.log_likelihood == pytest.approx(total, rel=1e-9)
        assert one.below.sum() == pytest.approx(smaller, rel=1e-9)
        assert one.aic == pytest.approx(2 * one.parameters - 2 * total)
        assert one.bic == pytest.approx(log(len(gaps) - 1) * one.parameters - 2 * total)


def test_likelihood_of_frequencies():
    found = fit_stream(references("abbbcabbba" * 2), problem="caching")
    assert found.chosen.entry["pmf"] == {"a": 0.3, "b": 0.6, "c": 0.1}
    expected = 5 * log(0.3) + 12 * log(0.6) + 2 * log(0.1)  # all but the first
    assert found.chosen.log_likelihood == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["walk", "ar1", "trend"])
def test_no_parameters_nearby_are_likelier(kind):
    values = simulated(1, 0.7, 2, [1] * 300).key
    trace = of_values(values + (np.arange(300) // 3 if kind == "trend" else 0))
    best = fit_stream(trace, kind=kind).chosen
    numbers = {"walk": ["drift", "sigma"], "ar1": ["phi0", "phi1", "sigma"], "trend": ["sigma"]}

    def likelihood(entry):
        model = read_entry(entry)
        keys = trace.key_values[trace.key].tolist()
        if kind == "trend":
            return sum(log(model.probability(np.array([v]), t)[0]) for t, v in enumerate(keys) if t)
        pairs = pairwise(keys)
        return sum(log(model.probability(np.array([v]), last, 1)[0]) for last, v in pairs)

    reached = likelihood(best.entry)
    assert reached == pytest.approx(best.log_likelihood)
    for name in numbers[kind]:
        for off in (0.99, 1.01):
            if kind == "trend":
                noise = best.entry["noise"]
                other = best.entry | {"noise": noise | {"sigma": noise["sigma"] * off}}
            else:
                other = best.entry | {name: best.entry[name] * off}
            assert likelihood(other) < reached


@pytest.mark.skipif(not MELBOURNE.exists(), reason="the temperatures are not on this machine")
def test_temperatures_as_the_paper_has_them():
    with MELBOURNE.open() as file:
        rows = list(csv.DictReader(file))
    tenths = [round(10 * float(row["Temperature"])) for row in rows]
    trace = sj.trace_from_arrays(np.arange(len(tenths)), tenths)
    entry = fit_stream(trace, problem="caching").chosen.entry
    assert entry["kind"] == "ar1"
    assert round(entry["phi1"], 2) == 0.72
    assert round(entry["phi0"] / 10, 2) == 5.59
    assert entry["sigma"] / 10 == pytest.approx(4.22, abs=0.01)


def test_goodness_tells_a_true_model_from_a_wrong_one():
    trace = sj.generate("ar1", seed=4)
    good = fit_stream(trace, problem="caching").goodness
    assert min(good.ks_p, good.chi_square_p, good.ljung_box_p) > 0.001
    dependent = fit_stream(trace, problem="caching", kind="stationary").goodness
    assert dependent.ljung_box_p < 1e-9
    assert dependent.autocorrelation > 0.5
    uniform = fit_stream(sj.generate("floor", seed=1), kind="walk").goodness
    assert uniform.autocorrelation < -0.3


def test_later_rows_change_nothing():
    trace = sj.generate("roof", steps=1000, seed=1)
    changed = trace.key.copy()
    changed[600:] = changed[:1400]
    other = replace(trace, key=changed)
    assert sj.fit(trace, prefix=0.3).model == sj.fit(other, prefix=0.3).model
    assert sj.fit(trace).model != sj.fit(other).model
    found = sj.fit(trace, prefix="0.3")
    assert (found.rows, found.steps) == (600, 300)


def test_arrivals_of_one_time_are_not_compared():
    trace = sj.generate("zipf", steps=300, seed=1)
    found = fit_stream(trace, "S")
    own = trace.time[trace.stream == 1]
    assert found.scored == len(np.unique(own)) - 1 < found.arrivals == len(own)


def test_a_line_without_noise():
    found = fit_stream(of_values(3 * np.arange(30) - 7))
    noise = {"kind": "uniform", "bound": 0}
    assert found.chosen.entry == {"kind": "trend", "slope": 3, "intercept": -7, "noise": noise}
    assert set(found.refused) == {"walk", "ar1"}


def test_keys_that_are_no_whole_numbers():
    for keys in (["a", "b", "b"] * 10, [0.5, 1.5, 1.25] * 10):
        found = fit_stream(of_values(keys))
        assert [one.name for one in found.candidates] == ["stationary"]
        assert set(found.refused) == set(fitters()) - {"stationary"}
        assert "give --kind stationary" in found.refused["walk"]
        # What was fitted is a model that replay takes.
        sj.replay(of_values(keys), policy="prob", mem=1, model={"R": found.chosen.entry})


def test_a_key_that_never_changes():
    found = fit_stream(of_values([5] * 20))
    assert found.chosen.entry == {"kind": "stationary", "pmf": {"5": 1.0}}
    assert "its key never changes" in found.refused["trend"]


@pytest.mark.parametrize(
    ("trace", "options", "says"),
    [
        (of_values([]), {}, "has no rows"),
        (of_values([1, 2, 3]), {}, "'R' of <memory> has 3 arrivals, too few"),
        (of_values([1, 2] * 30), {"prefix": 0.1}, "6 arrivals among the first 6 rows, too few"),
        (of_values([1, 2] * 30, [1] * 60), {}, "but only 0 that are later"),
        (of_values([5] * 20), {"kind": "walk"}, "its key never changes: give --kind stationary"),
        (of_values(["a"] * 20), {"kind": "ar1"}, "its keys are not whole numbers"),
        (of_values([1, 2] * 30), {"kind": "trend"}, "its keys do not drift"),
        (of_values([1, 3, 2] * 9, np.arange(27) * 9000), {"kind": "walk"}, "about 9,000 units"),
        (of_values([1, 2] * 30), {"kind": "offline"}, "kind 'offline' is unknown: choose auto or"),
        (of_values([1, 2] * 30), {"criterion": "mdl"}, "criterion 'mdl' is unknown"),
        (of_values([1, 2] * 30), {"stream": "S"}, "stream 'S' is unknown: the streams of"),
        (of_values([1, 2] * 30), {"prefix": 0}, "prefix is 0: give a share above 0"),
        (of_values([1, 2] * 30), {"prefix": "x"}, "prefix is 'x': give a share above 0"),
    ],
)
def test_refusals(trace, options, says):
    with pytest.raises(sj.InputError) as refusal:
        sj.fit(trace, **options)
    assert says in str(refusal.value)


def test_every_fitted_kind_is_a_model():
    assert set(fitters()) < set(KINDS)
