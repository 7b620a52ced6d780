"""HIST against its slow version, against HEEB on trends, and what it finds out by itself."""

import os

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import streamjoin_core as sj
from streamjoin_core.engine import observed
from tests.oracle.slow_hist import slow_hist
from tests.test_against_oracle import as_trace, check_join

EXAMPLES = int(os.environ.get("SJOIN_EXAMPLES", "600")) // 3


@st.composite
def cases(draw):
    """Streams that drift and wander, so that offsets and buckets move."""
    number = draw(st.integers(0, 60))
    drift, spread = draw(st.sampled_from([0, 0, 1, -1])), draw(st.integers(0, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    times = np.cumsum(rng.choice([0, 0, 1, 1, 2], number))
    streams = rng.integers(0, 2, number)
    if number and not (streams == 0).any():
        streams[:] = 0  # a label that occurs alone is the left one
    keys = drift * times + rng.integers(-spread, spread + 1, number)
    scale = draw(st.sampled_from([1, 1, 0.5]))
    rows = [
        (int(time), int(stream), scale * key if scale < 1 else int(key), 1.0, None)
        for time, stream, key in zip(times, streams, keys, strict=True)
    ]
    options = {
        "mem": draw(st.integers(1, 6)),
        "window": draw(st.sampled_from([None, None, 2, 5, (0, 9)])),
        "window_kind": draw(st.sampled_from(["time", "time", "tuples"])),
        "split": draw(st.sampled_from(["shared", "shared", "even", "1:2"])),
        "order": draw(st.sampled_from(["probe-first", "probe-first", "evict-first"])),
        "warmup": draw(st.sampled_from([0, 0, 7])),
    }
    if draw(st.booleans()):
        options["on"] = draw(st.sampled_from(["=", "<", "<=", ">=", ">", "!="]))
    elif draw(st.booleans()):
        options["band"] = draw(st.sampled_from([(-1, 1), (0, 2), (-3, -1)]))
    learning = {
        "buckets": draw(st.sampled_from([1, 2, 3, 4, 10])),
        "decay": draw(st.sampled_from([0.99, 0.5, 1.0])),
        "form": draw(st.sampled_from(["auto", "auto", "trend", "walk"])),
    }
    return rows, options, learning, draw(st.sampled_from([1, 2, 5, 50]))


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, phases=[Phase.generate])
@given(cases())
def test_equals_the_slow_version(case):
    rows, options, learning, period = case
    slow = slow_hist(rows, period=period, **learning, **options)
    policy = "hist:" + ",".join(f"{name}={value}" for name, value in learning.items())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(observed, "PERIOD", period)
        (fast,) = sj.replay(as_trace(rows), policy=policy, **options).runs
    check_join(fast, slow)


@pytest.mark.parametrize("sigma", [1, 8])
def test_learns_trends_nearly_as_well_as_heeb_knows_them(sigma):
    memories = [1, 2, 5, 10, 20, 50]
    shares = []
    for seed in (1, 2, 3):
        trace = sj.generate("tower", seed=seed, sigma_left=sigma, sigma_right=sigma)
        hist, heeb, rand = (
            np.array([run.results for run in sj.replay(trace, policy=name, mem=memories).runs])
            for name in ("hist", "heeb", "rand")
        )
        assert (hist > rand).all()
        shares.append(hist / heeb)
    assert np.mean(shares, axis=0).min() > 0.9


def test_finds_out_how_streams_move():
    """Found out beats the wrong form, on a trend and on walks that stay together."""
    trend = sj.generate("tower", seed=1, sigma_left=8, sigma_right=8)
    rng = np.random.default_rng(1)
    walk = np.cumsum(np.rint(rng.normal(0, 2, 4000))).astype(int)
    keys = np.repeat(walk, 2) + rng.integers(-1, 2, 8000)
    walks = sj.trace_from_arrays(np.repeat(np.arange(4000), 2), keys, np.tile(["R", "S"], 4000))
    for trace, wrong in ((trend, "walk"), (walks, "trend")):
        auto, other = sj.replay(trace, policy=["hist", f"hist:form={wrong}"], mem=10).runs
        assert auto.results > other.results


def test_refuses_texts_and_growing_decay():
    texts = sj.trace_from_arrays([1, 2], np.array(["a", "b"], object), ["R", "S"])
    with pytest.raises(sj.InputError, match="needs keys that are numbers"):
        sj.replay(texts, policy="hist", mem=1)
    with pytest.raises(sj.InputError, match=r"decay is 1\.5: give a number of at most 1"):
        sj.replay(texts, policy="hist:decay=1.5", mem=1)
