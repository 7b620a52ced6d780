"""Products are compared exactly, within 64 bits and beyond."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import streamjoin_core as sj
from streamjoin_core.engine.compiled import compiled
from streamjoin_core.engine.fractions import SAFE, compare_products


@compiled
def _compare(one, other, one_factor, other_factor, is_safe):
    return compare_products(one, other, one_factor, other_factor, is_safe)


COUNTS = st.integers(0, 2**62) | st.integers(0, 3)
FACTORS = st.integers(-(2**62), 2**62) | st.integers(-2, 2)


@settings(deadline=None, max_examples=500)
@given(COUNTS, COUNTS, FACTORS, FACTORS)
def test_sign_of_the_difference(one, other, one_factor, other_factor):
    difference = one * one_factor - other * other_factor
    sign = (difference > 0) - (difference < 0)
    assert _compare(one, other, one_factor, other_factor, False) == sign
    if max(one * abs(one_factor), other * abs(other_factor)) < SAFE:
        assert _compare(one, other, one_factor, other_factor, True) == sign


def test_life_decides_alike_in_any_unit_of_time():
    """Nanoseconds over years pass 64 bits in count * remaining * arrivals."""
    rng = np.random.default_rng(3)
    time = np.cumsum(rng.integers(0, 3, 400))
    key, stream = rng.integers(0, 9, 400), rng.choice(["R", "S"], 400)
    runs = []
    for scale in (1, 2**48):
        trace = sj.trace_from_arrays(time * scale, key, stream)
        for on in ("=", "<"):
            report = sj.replay(trace, policy="life", mem=6, window=40 * scale, on=on)
            runs.append((report.runs[0].results, report.runs[0].evicted, report.runs[0].dropped))
    assert runs[:2] == runs[2:]
