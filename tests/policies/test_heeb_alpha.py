"""The report says which alpha HEEB used where nobody named one."""

import numpy as np
import pytest

import streamjoin_core as sj

AR1 = {"kind": "ar1", "phi0": 1.0, "phi1": 0.5, "sigma": 2.0}


def alpha_of(trace, policy="heeb", **options):
    (run,) = sj.replay(trace, policy=policy, mem=7, **options).runs
    assert run.label == policy
    return run.params["alpha"]


def test_of_joining():
    tower, zipf = sj.generate("tower", steps=50, seed=1), sj.generate("zipf", steps=50, seed=1)
    # Twice the mean deviation over the speed: a mean lifetime of 3.
    assert float(alpha_of(tower)) == pytest.approx(-1 / np.log(1 - 1 / 3))
    assert alpha_of(zipf) == alpha_of(zipf, model={"R": AR1, "S": AR1}) == "7"
    assert alpha_of(zipf, partitions=2) == "mem"
    assert alpha_of(tower, policy="heeb:alpha=4.5") == "4.5"
    assert alpha_of(tower, policy="heeb:life=fixed:3") is None


def test_of_caching():
    trace = sj.trace_from_arrays(np.arange(40), np.arange(40) % 5)
    options = {"problem": "caching", "model": {"R": AR1}}
    assert alpha_of(trace, **options) == "auto"
    assert alpha_of(trace, policy="heeb:alpha=3", **options) == "3"
    assert alpha_of(trace, problem="caching") == "7"
