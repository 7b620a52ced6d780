"""Samples: every result as likely as promised, estimates right on average, memory as foretold.

Seeds are fixed, so that tests of chance give the same answer at every run.
"""

import numpy as np
import pytest
from scipy.stats import chi2

import streamjoin_core as sj
from streamjoin_core.errors import InputError
from streamjoin_core.sampling.expectation import Kind
from streamjoin_core.sampling.fraction import memory_used, solve_fraction
from tests.small_traces import trace

WINDOW = 40


def tidy(steps=200, partners=4, seed=0, evenly=False):
    """One R tuple a step with exactly so many partners, at random ages within its window or not."""
    rng = np.random.default_rng(seed)
    opened = np.arange(steps)
    ages = np.array([rng.choice(WINDOW, partners, replace=False) + 1 for _ in opened])
    if evenly:
        ages[:] = WINDOW * np.arange(1, partners + 1) // partners
    time = np.concatenate((opened, (opened[:, None] + ages).ravel()))
    key = np.concatenate((opened, np.repeat(opened, partners)))
    stream = np.array(["R"] * steps + ["S"] * (steps * partners))
    order = np.argsort(time, kind="stable")
    value = rng.normal(100, 30, len(time))
    return sj.trace_from_arrays(time[order], key[order], stream[order], value=value[order])


TIDY = tidy()
ZIPF = sj.generate("zipf", steps=1500, seed=2, domain=12, skew=1.1, rate_right=2.0)


def draw(given, method, mem, **options):
    asked = {"window": WINDOW, "aggregate": "count", "lists_results": True} | options
    return sj.sample(given, method=method, mem=mem, **asked)


def pairs(report):
    return list(zip(report.sample.earlier.tolist(), report.sample.later.tolist(), strict=True))


def often_enough(counts, chances, seeds):
    """Chi-square of how often each was drawn against its probability, at one in ten thousand."""
    expected = chances * seeds
    statistic = ((counts - expected) ** 2 / (expected * (1 - chances))).sum()
    freedom = len(counts)
    assert chi2.ppf(5e-5, freedom) < statistic < chi2.ppf(1 - 5e-5, freedom)


def drawn_counts(given, method, mem, seeds, **options):
    """How often each result of the exact join was drawn, and the last report."""
    counts = {}
    for seed in range(seeds):
        report = draw(given, method, mem, seed=seed, **options)
        chosen = pairs(report)
        assert len(set(chosen)) == len(chosen) == report.runs[0].sample_size
        for pair in chosen:
            counts[pair] = counts.get(pair, 0) + 1
    assert len(counts) <= report.exact
    return counts, report


def test_uniform_takes_every_result_with_probability_p():
    seeds = 400
    counts, report = drawn_counts(TIDY, "uniform", 12, seeds, by="age")
    assert 0.1 < report.p < 0.6
    drawn = np.array([*counts.values(), *[0] * (report.exact - len(counts))])
    often_enough(drawn, np.full(len(drawn), report.p), seeds)


def test_uniform_takes_results_independently():
    """Pairs of results of one tuple are both taken as often as p squared."""
    seeds, both = 300, 0
    for seed in range(seeds):
        report = draw(TIDY, "uniform", 12, by="age", seed=seed)
        clusters = np.bincount(report.sample.earlier)
        both += int((clusters * (clusters - 1) // 2).sum())
    possible = 200 * 6 * seeds  # 4 results have 6 pairs
    deviation = np.sqrt(possible * report.p**2)
    assert abs(both - possible * report.p**2) < 5 * deviation


@pytest.mark.parametrize("method", ["uniform", "eq-cluster", "pps-cluster"])
def test_every_result_has_its_probability(method):
    """On skewed keys: n(s) counted in the trace for uniform, else by frequency."""
    seeds = 250
    by = "trace" if method == "uniform" else "frequency"
    counts, report = drawn_counts(ZIPF, method, 30, seeds, by=by)
    weights = {pair: report.weights[pair[0]] for pair in counts}
    clusters = {}
    for pair, number in counts.items():
        clusters.setdefault(pair[0] if method != "uniform" else pair, []).append(number)
    for numbers in clusters.values():
        assert len(set(numbers)) == 1  # results of a cluster are drawn together
    chances = np.array([1 / weights[pair] for pair in counts])
    drawn = np.array(list(counts.values()))
    if method == "uniform":
        missing = report.exact - len(counts)
        drawn, chances = np.append(drawn, [0] * missing), np.append(chances, [report.p] * missing)
    else:
        first = {pair[0]: place for place, pair in enumerate(counts)}  # one result of each cluster
        drawn, chances = drawn[list(first.values())], chances[list(first.values())]
    unsure = chances < 1
    assert (drawn[~unsure] == seeds).all()
    enough = unsure & (chances * seeds >= 5)
    # Clusters that were never drawn are not among them, so rare ones are left out.
    often_enough(drawn[enough], chances[enough], seeds)


@pytest.mark.parametrize("aggregate", ["count", "sum"])
@pytest.mark.parametrize(
    ("method", "by"), [("uniform", "trace"), ("eq-cluster", None), ("pps-cluster", "frequency")]
)
def test_estimates_are_right_on_average(method, by, aggregate):
    given = ZIPF if aggregate == "count" else tidy(seed=3)
    report = sj.sample(
        given, method=method, mem=25, by=by, window=WINDOW, aggregate=aggregate, seeds=300
    )
    estimates = np.array([run.estimate for run in report.runs])
    deviation = estimates.std(ddof=1) / np.sqrt(len(estimates))
    assert abs(estimates.mean() - report.runs[0].aggregate) < 4 * deviation
    assert report.runs[0].aggregate == pytest.approx(
        report.exact if aggregate == "count" else report.runs[-1].aggregate
    )


@pytest.mark.parametrize(
    ("given", "method", "by"),
    [
        (tidy(4000, evenly=True), "uniform", "age"),
        (tidy(4000, evenly=True), "uniform", "trace"),
        (tidy(4000), "eq-cluster", None),
        (sj.generate("zipf", steps=6000, seed=2, domain=12), "eq-cluster", None),
        (sj.generate("zipf", steps=6000, seed=2, domain=12), "pps-cluster", "frequency"),
        (sj.generate("zipf", steps=6000, seed=2, domain=1, rate_left=5.0), "uniform", "frequency"),
    ],
)
def test_memory_is_as_the_theorems_say(given, method, by):
    report = draw(given, method, 20, by=by, seeds=10, lists_results=False)
    assert report.memory_expected == pytest.approx(20)
    mean = np.mean([run.memory_mean for run in report.runs])
    assert mean == pytest.approx(20, rel=0.06)


def test_theorems_with_numbers_by_hand():
    """Two results at ages 10 and 30 of 40: with p = 1/2 the tuple stays to 30 with probability 1/2,
    to 10 with 1/4, so 17.5 of 40; evenly spread as theorem 4.2 has it, (1/2 + 1/8) of the time."""
    by_age = Kind(40.0, 2.0, np.array([0.25, 0.5]))
    assert memory_used("uniform", (by_age,), 0.5)[0] == pytest.approx(17.5)
    evenly = Kind(40.0, 2.0, np.zeros(0))
    assert memory_used("uniform", (evenly,), 0.5)[0] == pytest.approx(40 * 0.625)
    assert memory_used("eq-cluster", (evenly,), 0.25) == (pytest.approx(10), pytest.approx(7.5))


def test_probabilities_over_one_give_their_memory_to_others():
    kinds = (Kind(10.0, 8.0, np.zeros(0)), Kind(100.0, 1.0, np.zeros(0)))
    p = solve_fraction("pps-cluster", kinds, 30)
    assert p == pytest.approx(0.2)  # the frequent take all of 10, the others 20 of 100
    assert solve_fraction("pps-cluster", kinds, 1000) == 1


def test_a_margin_keeps_memory_free():
    tight = draw(ZIPF, "eq-cluster", 30, seeds=20, lists_results=False)
    safe = draw(ZIPF, "eq-cluster", 30, seeds=20, margin=3.0, lists_results=False)
    assert safe.p < tight.p
    assert safe.memory_expected + 3 * safe.memory_deviation == pytest.approx(30)
    assert max(run.memory_mean for run in safe.runs) < 30
    assert np.mean([run.memory_max for run in tight.runs]) > 30


def test_enough_memory_takes_everything():
    for method, by in (("uniform", "trace"), ("eq-cluster", None), ("pps-cluster", "trace")):
        report = draw(ZIPF, method, 10_000, by=by)
        (run,) = report.runs
        assert (run.sample_size, run.error_mean) == (report.exact, pytest.approx(0, abs=1e-9))


def test_a_small_sample_by_hand():
    """With all memory the windowed sums of a known trace are those that one counts by hand."""
    given = trace("1Ra 2Sa 3Sa 5Rb 6Sb", value=np.array([1.0, 10, 20, 5, 7]))
    report = sj.sample(
        given,
        method="eq-cluster",
        mem=9,
        window=10,
        aggregate="sum",
        agg_window=2,
        value_of="right",
    )
    assert report.over_time.true.tolist() == [0, 10, 30, 20, 7]
    assert report.over_time.estimated.tolist() == [0, 10, 30, 20, 7]
    assert report.runs[0].aggregate == 37
    assert report.runs[0].memory_max == 5


REFUSED = [
    ({"method": "uniform"}, "must know n.s..*--by age.*eq-cluster"),
    ({"method": "pps-cluster"}, "must know n.s."),
    ({"method": "eq-cluster", "window": None}, "give --window"),
    ({"method": "eq-cluster", "aggregate": "avg"}, "--value-col.*--aggregate count"),
    ({"method": "any"}, "choose uniform or eq-cluster or pps-cluster"),
    ({"method": "eq-cluster", "mem": 0}, "at least 1"),
    ({"method": "eq-cluster", "margin": -1}, "standard deviations"),
    ({"method": "uniform", "by": "age", "age_curve": {"R": [1], "S": [1]}}, "has 1 ages"),
    ({"method": "uniform", "by": "guess"}, "choose age or frequency or trace"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_refusals(options, message):
    given = trace("1Ra 2Rb 3Sa 4Sb")
    asked = {"window": 5, "mem": 2, "aggregate": "count"} | options
    with pytest.raises(InputError, match=message):
        sj.sample(given, **asked)


def test_a_memory_too_small_for_any_sample_names_one_that_is_not():
    rows = 4000
    given = sj.trace_from_arrays(
        np.arange(rows), np.append(np.arange(rows - 1), 0), ["R"] * (rows - 1) + ["S"]
    )
    with pytest.raises(InputError, match=r"memory 1 is too small.* give 4096 or more"):
        sj.sample(given, method="eq-cluster", mem=1, window=rows, aggregate="count")


def test_fewer_results_than_tuples_are_neither_forgotten_nor_misjudged():
    """By age, a stream whose tuples have a result now and then counts as one, not as none."""
    rng = np.random.default_rng(0)
    rows = 1500
    stream = np.where(rng.random(rows) < 0.5, "R", "S")
    given = sj.trace_from_arrays(np.arange(rows), rng.integers(0, 60, rows), stream)
    asked = {"window": (WINDOW, 4 * WINDOW), "by": "age", "seeds": 60, "lists_results": False}
    clusters = draw(given, "pps-cluster", 20, **asked)
    found = clusters.summary["estimate"]
    assert found["low"] < clusters.exact < found["high"]
    one = sj.age_curve(given, window=(WINDOW, 4 * WINDOW)).curves["R"].results
    assert 0 < one < 0.5
    single = draw(given, "uniform", 20, **asked | {"window": (WINDOW, 0)})
    assert 0 < single.memory_expected <= 20
    assert single.summary["estimate"]["mean"] > 0.8 * single.exact
