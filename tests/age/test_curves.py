"""Age curves: counted as the slow version counts them, sampled with an honest error, named."""

import json
import os

import numpy as np
import pytest
from hypothesis import Phase, given, settings

import streamjoin_core as sj
from streamjoin_core.age.curve import AgeCurve
from streamjoin_core.age.report import write_curves
from streamjoin_core.age.shape import name_shape
from streamjoin_core.errors import InputError
from tests.oracle.slow_age import slow_best_age, slow_curve, slow_join
from tests.oracle.strategies import exact_questions
from tests.test_against_oracle import as_trace

EXAMPLES = int(os.environ.get("SJOIN_EXAMPLES", "600")) // 4


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, phases=[Phase.generate])
@given(exact_questions())
def test_counts_are_those_of_all_pairs(question):
    rows, options = question
    asked = {name: options[name] for name in ("window", "on", "band") if name in options}
    for kind in ("time", "tuples"):
        found = sj.age_curve(as_trace(rows), window_kind=kind, **asked)
        join = slow_join(rows, window_kind=kind, **asked)
        for stream, curve in enumerate(found.curves.values()):
            slow = slow_curve(join, stream)
            shown = curve.counts.tolist()
            assert shown == [share * curve.tuples for share in slow][: len(shown)]
            assert not any(slow[len(shown) :])
            assert curve.best_age == slow_best_age(slow)


def test_coarser_ages_add_up():
    trace = sj.generate("age", steps=2000, seed=4)
    fine = sj.age_curve(trace, window=500).curves["R"]
    coarse = sj.age_curve(trace, window=500, granularity=30).curves["R"]
    assert coarse.places == 17
    sums = np.add.reduceat(fine.counts, np.arange(0, 500, 30))
    assert coarse.counts.tolist() == sums.tolist()


def test_a_fraction_of_the_tuples_tells_how_far_off_it_is():
    """Over many seeds p is right on average, and as far off as its standard error says."""
    trace = sj.generate("age", steps=4000, seed=5, curve="bell")
    whole = sj.age_curve(trace, window=500, granularity=50).curves["R"]
    draws = [
        sj.age_curve(trace, window=500, granularity=50, fraction=0.1, seed=seed).curves["R"]
        for seed in range(100)
    ]
    shares = np.array([draw.shares for draw in draws])
    deviation = shares.std(axis=0, ddof=1)
    assert (np.abs(shares.mean(axis=0) - whole.shares) < 5 * deviation / 10 + 1e-12).all()
    # Drawn without replacement, they vary a little less: by the root of what is not drawn.
    told = np.mean([draw.errors for draw in draws], axis=0) * np.sqrt(0.9)
    seen = told > 0
    assert np.allclose(deviation[seen], told[seen], rtol=0.35)
    assert all(abs(draw.tuples / whole.tuples - 0.1) < 0.03 for draw in draws)


@pytest.mark.parametrize(
    ("curve", "shape"), [("inc", "increasing"), ("dec", "decreasing"), ("bell", "bell")]
)
def test_shapes_of_generated_traces(curve, shape):
    trace = sj.generate("age", steps=5000, seed=2, curve=curve)
    found = sj.age_curve(trace, window=500).curves
    assert name_shape(found["R"]) == shape
    assert name_shape(found["S"]) == "no results"


def test_a_valley_is_named():
    counts = np.array([90, 40, 5, 5, 40, 90]) * 10
    assert name_shape(AgeCurve(counts, 100, 6)) == "with minima"


def test_best_age_of_the_examples():
    curves = [AgeCurve(np.array(counts), 1, len(counts)) for counts in ([1, 1, 2, 1], [3, 0, 2])]
    assert [curve.best_age for curve in curves] == [3, 1]
    assert AgeCurve(np.array([2, 2, 2]), 1, 3).best_age == 1  # the first of equals


@pytest.mark.parametrize("granularity", [None, 7])
def test_a_written_curve_decides_as_the_learnt_one(tmp_path, granularity):
    trace = sj.generate("auction", steps=1500, seed=3)
    found = sj.age_curve(trace, window=500, granularity=granularity)
    path = tmp_path / "curve.json"
    write_curves(found, path)
    assert json.loads(path.read_text()).keys() >= {"R", "S"}
    read = sj.replay(trace, policy="age", mem=60, window=500, age_curve=path).runs[0]
    assert read.results > 0
    if granularity is None:
        learnt = sj.replay(trace, policy="age", mem=60, window=500).runs[0]
        assert (read.results, read.evicted) == (learnt.results, learnt.evicted)


def test_timestamps_and_long_windows_have_a_granularity():
    time = (np.arange(2000) * 1_000_000).astype("datetime64[us]")
    trace = sj.trace_from_arrays(time, np.arange(2000) // 4, ["R", "S"] * 1000)
    found = sj.age_curve(trace, window="10m")
    assert found.options["granularity"] == -(-600_000_000 // 2**20)
    # Rows of one key are 1 to 3 seconds apart, every other one in the other stream.
    assert found.curves["R"].results == pytest.approx(1.5)
    (run,) = sj.replay(trace, policy="age", mem=3, window="10m").runs
    assert run.recall == 1


REFUSED = [
    ({"stream": "T"}, "no stream 'T': the streams are 'R' and 'S'"),
    ({"fraction": 0}, "give a share above 0"),
    ({"fraction": 1e-9}, "larger --fraction"),
    ({"granularity": 0}, "less than a unit"),
    ({"granularity": "1s"}, "no length of time"),
    ({"band": "0:1", "on": "<"}, "one condition"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_refusals(options, message):
    trace = sj.generate("age", steps=100, seed=1, window=50, buckets=5)
    with pytest.raises(InputError, match=message):
        sj.age_curve(trace, **({"window": 50} | options))
