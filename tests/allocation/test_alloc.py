"""Memory across joins: the division against trying all, the paper's claim, and refusals."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streamjoin_core as sj
from streamjoin_core.allocation.divide import divide_fairly, divide_in_proportion
from streamjoin_core.errors import InputError
from tests.small_traces import SMALL, trace

RISES = st.lists(st.integers(0, 6), min_size=1, max_size=7)


def as_recall(rises):
    return np.append(0, np.cumsum(rises)) / 40


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(RISES, min_size=1, max_size=3), st.data())
def test_no_other_division_lifts_the_worst(rises, data):
    recalls = [as_recall(one) for one in rises]
    weights = data.draw(st.lists(st.sampled_from([1.0, 2.0, 0.5]), min_size=3, max_size=3))
    weights = weights[: len(recalls)]
    mem = data.draw(st.integers(0, 12))

    def smallest(memories):
        return min(r[m] / w for r, m, w in zip(recalls, memories, weights, strict=True))

    found = divide_fairly(recalls, weights, mem)
    assert sum(found) <= mem
    possible = product(*(range(len(recall)) for recall in recalls))
    best = max(smallest(memories) for memories in possible if sum(memories) <= mem)
    assert smallest(found) == pytest.approx(best)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.lists(st.integers(1, 1000), min_size=1, max_size=5), st.integers(0, 500))
def test_proportional_parts_add_up(needs, mem):
    parts = divide_in_proportion(needs, mem)
    assert sum(parts) == mem
    exact = [mem * need / sum(needs) for need in needs]
    assert all(abs(part - share) < 1 for part, share in zip(parts, exact, strict=True))


@pytest.mark.parametrize("curve", ["theory", "measured"])
def test_easy_and_hard_joins_come_out_equal(curve):
    """Directly and inversely correlated keys: PROB needs much less memory for the second."""
    traces = [
        sj.generate("zipf", steps=6000, seed=1, skew=1.5, correlation=correlation)
        for correlation in ("direct", "inverse")
    ]
    options = {"mem": 200, "window": 500, "split": "1:0", "policy": "prob", "curve": curve}
    found = sj.alloc(traces, **options)
    hard, easy = found.joins
    assert sum(one.mem for one in found.joins) <= 200
    assert hard.mem > hard.proportional_mem
    assert easy.mem < easy.proportional_mem
    assert found.smallest > 1.3 * found.smallest_proportional
    assert found.smallest == pytest.approx(found.smallest_predicted, abs=0.05)
    weighted = sj.alloc(traces, weights="1,2", **options)
    assert weighted.joins[1].recall > 1.5 * weighted.joins[0].recall


def test_optimal_curves_are_those_of_the_optimum():
    traces = [sj.generate("tower", steps=400, seed=seed) for seed in (1, 2)]
    found = sj.alloc(traces, mem=8, window=15, policy="opt", curve="optimal")
    for one in found.joins:
        assert one.recall == pytest.approx(one.predicted_recall, abs=1e-9)


def test_proportional_method_and_no_memory_at_all():
    traces = [SMALL, trace("1Ra 2Sa 3Sa 4Sa")]
    found = sj.alloc(traces, mem=1, window=9, method="prop")
    assert [one.mem for one in found.joins] == [one.proportional_mem for one in found.joins]
    assert min(one.recall for one in found.joins) == 0


REFUSED = [
    ({"weights": "1,2,3"}, "3 weights for 2 joins"),
    ({"weights": "1,-1"}, "not numbers above 0"),
    ({"mem": 0}, "at least 1"),
    ({"policy": "fifo"}, "no theory of policy 'fifo': give --curve measured"),
    ({"policy": "prob", "window": None}, "give --window, or --curve measured"),
    ({"policy": "lru"}, "not for joining"),
    ({"method": "best"}, "choose alloc or prop"),
    ({"traces": []}, "name its trace"),
    ({"traces": [trace("1Ra 2Sb")]}, "has no results"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_refusals(options, message):
    asked = {"traces": [SMALL, SMALL], "mem": 2, "window": 5} | options
    with pytest.raises(InputError, match=message):
        sj.alloc(asked.pop("traces"), **asked)
