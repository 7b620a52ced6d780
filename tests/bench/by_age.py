"""Policy age: tuples per second as memory and window grow, and the pass that learns its curve."""

import time

import numpy as np

from streamjoin_core.age.curve import AgeCurve
from streamjoin_core.age.learn import learn_curves
from streamjoin_core.engine.joining import JoinTask
from streamjoin_core.policies.registry import find_policy
from tests.bench.joining import KEYS, SETTINGS, TUPLES, join_with_window, zipf_join


def rows():
    trace = zipf_join(TUPLES, KEYS)
    policy = find_policy("age")
    rng = np.random.default_rng(0)
    for memory, window in SETTINGS:
        join = join_with_window(trace, window)
        # A bell with noise, as learnt curves have.
        bell = 1000 * np.exp(-(((np.arange(window) / window - 0.5) / 0.2) ** 2))
        curves = tuple(AgeCurve(rng.poisson(bell), 1000, window) for _ in range(2))
        task = JoinTask(join, policy.parameters(), (memory,), curves=curves)
        _ = join.unlimited
        yield {"name": f"age, memory {memory:,}, window {window:,}", "ours": _rate(policy, task)}
    join = join_with_window(trace, 500)
    learn_curves(join)
    start = time.perf_counter()
    curves = learn_curves(join)
    seconds = time.perf_counter() - start
    results = sum(int(curve.totals[-1]) for curve in curves)
    yield {"name": "learning an age curve, results", "ours": results / seconds}


def _rate(policy, task: JoinTask) -> float:
    policy.joining(task)
    start = time.perf_counter()
    policy.joining(task)
    return len(task.join.trace) / (time.perf_counter() - start)
