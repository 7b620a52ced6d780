"""Joining: tuples per second, and how they change as the memory grows."""

import time

import numpy as np

from streamjoin_core.engine.joining import JoinTask, prepare_join
from streamjoin_core.policies.registry import find_policy
from streamjoin_core.trace.trace import Trace

TUPLES = 2_000_000
KEYS = 1_000
REPEATS = 3
# Memory and window: where the memory is large, so is the window, so that memory binds.
SETTINGS = ((10, 500), (100, 500), (1_000, 50_000), (10_000, 50_000))
GOALS = {
    ("fifo", 10): 20e6,
    ("prob", 10): 20e6,
    ("life", 10): 20e6,
    ("rand", 10): 20e6,
    ("fifo", 10_000): 5e6,
    ("prob", 10_000): 5e6,
    ("rand", 10_000): 5e6,
    ("life", 10_000): 1e6,
}


def zipf_join(tuples: int, keys: int, seed: int = 0) -> Trace:
    """One tuple per stream and step, keys by Zipf's law with exponent 1."""
    rng = np.random.default_rng(seed)
    chances = np.cumsum(1 / np.arange(1, keys + 1))
    ranks = np.searchsorted(chances, rng.random(tuples) * chances[-1])
    return Trace(
        time=np.repeat(np.arange(tuples // 2), 2),
        stream=np.tile(np.array([0, 1], np.uint8), tuples // 2),
        key=ranks.astype(np.int32),
        key_values=np.arange(keys),
        labels=("R", "S"),
    )


def join_with_window(trace: Trace, window: int):
    return prepare_join(
        trace,
        window=(window, window),
        by_tuples=False,
        evict_first=False,
        on="=",
        band=None,
        combination="min",
        first_counted=0,
    )


def rows() -> list[dict]:
    """One row per policy and memory; what all runs of a replay share is measured on its own."""
    trace = zipf_join(TUPLES, KEYS)
    small = join_with_window(zipf_join(1_000, 10), 5)
    table = []
    for name in ("fifo", "prob", "life", "rand"):
        policy = find_policy(name)
        policy.joining(JoinTask(small, policy.parameters(), (3,)))  # compiles
        for mem, window in SETTINGS:
            join = join_with_window(trace, window)
            task = JoinTask(join, policy.parameters(), (mem,))
            # The first run also computes what all runs on a join share.
            best = min(seconds_of(policy.joining, task) for _ in range(REPEATS + 1))
            table.append(
                {
                    "name": f"joining: {name}, memory {mem:,}, window {window:,}",
                    "ours": TUPLES / best,
                    "unit": "tuples/s",
                    "goal": GOALS.get((name, mem)),
                }
            )
    best = min(seconds_of(lambda w: join_with_window(trace, w).unlimited, 500) for _ in range(3))
    name = "joining: exact results and what each tuple waits for, once per replay"
    table.append({"name": name, "ours": TUPLES / best, "unit": "tuples/s"})
    return table


def seconds_of(function, argument) -> float:
    start = time.perf_counter()
    function(argument)
    return time.perf_counter() - start
