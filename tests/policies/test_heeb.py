"""HEEB against the defining sum in plain Python, over models, conditions, windows and orders."""

import os
from math import inf

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import streamjoin_core as sj
from tests.oracle.slow_heeb import slow_heeb
from tests.test_against_oracle import as_trace, check_join

EXAMPLES = int(os.environ.get("SJOIN_EXAMPLES", "600")) // 4
NOISES = st.sampled_from(
    [
        {"kind": "uniform", "bound": 2},
        {"kind": "normal", "sigma": 1.3, "bound": 3},
        {"kind": "normal", "sigma": 0.9, "bound": 5},
    ]
)
TRENDS = st.builds(
    lambda slope, intercept, noise: {
        "kind": "trend",
        "slope": slope,
        "intercept": intercept,
        "noise": noise,
    },
    st.sampled_from([1, 0.5, 0.3, -1, -0.7, 0, 2]),
    st.sampled_from([0, -1, 0.25]),
    NOISES,
)
MODELS = st.one_of(
    TRENDS,
    st.sampled_from(
        [
            {"kind": "walk", "drift": 0, "sigma": 1},
            {"kind": "walk", "drift": 0.4, "sigma": 0.8},
            {"kind": "ar1", "phi0": 0.5, "phi1": 0.6, "sigma": 1},
            {"kind": "stationary", "pmf": {"0": 0.5, "1": 0.3, "3": 0.125}},
            {"kind": "empirical"},
            {"kind": "offline"},
        ]
    ),
)


@st.composite
def cases(draw):
    number = draw(st.integers(2, 18))
    times = np.cumsum(
        draw(st.lists(st.sampled_from([0, 1, 1, 2]), min_size=number, max_size=number))
    )
    # Both streams occur, since a stream that is alone would be the left one.
    streams = [*draw(st.permutations([0, 1])), *(draw(st.integers(0, 1)) for _ in times[2:])]
    rows = [
        (int(time), stream, draw(st.integers(-3, 4)), 1.0, None)
        for time, stream in zip(times, streams, strict=True)
    ]
    options = {
        "mem": draw(st.integers(1, 4)),
        "window": draw(st.sampled_from([None, None, 2, 5, (1, 6)])),
        "window_kind": draw(st.sampled_from(["time", "time", "tuples"])),
        "split": draw(st.sampled_from(["shared", "shared", "even", "1:2"])),
        "order": draw(st.sampled_from(["probe-first", "probe-first", "evict-first"])),
    }
    if draw(st.booleans()):
        options["on"] = draw(st.sampled_from(["=", "<", "<=", ">=", ">", "!="]))
    elif draw(st.booleans()):
        options["band"] = draw(st.sampled_from([(-1, 1), (0, 2), (-3, -1)]))
    alpha, horizon = draw(st.sampled_from([(2.0, inf), (0.7, inf), (5.0, inf), (None, 3)]))
    return rows, options, (draw(MODELS), draw(MODELS)), alpha, horizon


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, phases=[Phase.generate])
@given(cases())
def test_equals_the_defining_sum(case):
    rows, options, models, alpha, horizon = case
    slow = slow_heeb(rows, models=models, alpha=alpha, horizon=horizon, **options)
    policy = f"heeb:alpha={alpha}" if alpha else f"heeb:life=fixed:{horizon}"
    (fast,) = sj.replay(
        as_trace(rows), policy=policy, model=dict(zip("RS", models, strict=True)), **options
    ).runs
    check_join(fast, slow)
