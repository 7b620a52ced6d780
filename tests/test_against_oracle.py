"""The fast engine against the slow oracles, over all options crossed.

SJOIN_EXAMPLES sets the number of join cases; the other tests run a share of it.
"""

import math
import os

import numpy as np
from hypothesis import given, settings

import streamjoin_core as sj
from tests.oracle.duck import duck_exact
from tests.oracle.slow_caching import slow_caching
from tests.oracle.slow_join import slow_replay
from tests.oracle.strategies import (
    caching_cases,
    exact_questions,
    join_cases,
    known_model_cases,
)

EXAMPLES = int(os.environ.get("SJOIN_EXAMPLES", "600"))
NOT_MEASURES = ("fates", "cached_after_step", "pairs", "groups", "cached_after")


def examples(share):
    return settings(max_examples=max(1, EXAMPLES // share), deadline=None, derandomize=True)


def column(values):
    """Strings stay objects, so that an empty column or an empty string keeps its kind."""
    is_text = any(isinstance(value, str) for value in values)
    return np.array(values, dtype=object if is_text else None if values else np.int64)


def as_trace(rows):
    """The rows as a trace; importances that are all 1 and missing groups are left out."""
    time, stream, key, importance, group = zip(*rows, strict=True) if rows else ((),) * 5
    return sj.trace_from_arrays(
        np.array(time, dtype=np.int64),
        column(key),
        np.array(["R", "S"])[list(stream)] if rows else np.array([], dtype="<U1"),
        importance=None if set(importance) <= {1.0} else np.array(importance),
        group=None if set(group) <= {None} else column(group),
    )


def as_policy(policy, params):
    """The policy as users name it: name:key=value,..."""
    given = ",".join(f"{name}={value}" for name, value in params.items())
    return f"{policy}:{given}" if given else policy


def as_model(pmfs):
    """A model as its JSON file would hold it."""
    return {
        label: {"kind": "stationary", "pmf": {str(key): p for key, p in pmf.items()}}
        for label, pmf in zip("RS", pmfs, strict=False)
    }


def fast_run(trace, policy, params, **options):
    fairness = options.get("problem") != "caching"
    (run,) = sj.replay(trace, policy=as_policy(policy, params), fairness=fairness, **options).runs
    return run


def same(fast, slow) -> bool:
    if isinstance(slow, float) and fast is not None:
        return math.isclose(fast, slow, rel_tol=1e-12)
    return fast == slow


def differences(fast, slow) -> dict:
    """Measures that differ, as name: (fast, slow)."""
    return {
        name: (fast[name], expected)
        for name, expected in slow.items()
        if name not in NOT_MEASURES and not same(fast[name], expected)
    }


def check_join(fast, slow):
    assert differences(vars(fast), slow) == {}
    if slow["groups"] is None:
        assert fast.groups is None
    else:
        by_label = {entry["group"]: entry for entry in fast.groups}
        assert by_label.keys() == slow["groups"].keys()
        for label, expected in slow["groups"].items():
            assert differences(by_label[label], expected) == {}, label


@examples(1)
@given(join_cases())
def test_joining(case):
    rows, options = case
    check_join(fast_run(as_trace(rows), **options), slow_replay(rows, **options))


@examples(4)
@given(known_model_cases())
def test_joining_with_known_model(case):
    rows, options = case
    slow = slow_replay(rows, **options)
    model = as_model(options.pop("pmf"))
    check_join(fast_run(as_trace(rows), model=model, **options), slow)


@examples(2)
@given(caching_cases())
def test_caching(case):
    (keys, times), options = case
    slow = slow_caching(keys, times, **options)
    pmf = options.pop("pmf")
    trace = sj.trace_from_arrays(np.array(times, dtype=np.int64), column(keys))
    model = None if pmf is None else as_model([pmf])
    fast = fast_run(trace, problem="caching", model=model, **options)
    assert differences(vars(fast), slow) == {}


@examples(4)
@given(exact_questions())
def test_exact_join_against_sql(question):
    rows, options = question
    fast = fast_run(as_trace(rows), "exact", {}, mem=1, **options)
    assert differences(vars(fast), duck_exact(rows, **options)) == {}
    assert fast.results == fast.exact
