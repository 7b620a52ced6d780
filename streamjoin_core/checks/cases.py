"""Small traces and options that every policy is checked on."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from streamjoin_core.age.curve import AgeCurve
from streamjoin_core.age.learn import reach
from streamjoin_core.engine.joining import Join, prepare_join
from streamjoin_core.policies.base import Policy
from streamjoin_core.trace.table import trace_from_arrays
from streamjoin_core.trace.trace import Trace

MEMORIES = (1, 3, 8)
KEYS = 7

_OPTIONS = {
    "window": (9, 9),
    "by_tuples": False,
    "evict_first": False,
    "on": "=",
    "band": None,
    "combination": "min",
    "first_counted": 0,
}
_VARIANTS = {
    "plain": {},
    "evict first": {"evict_first": True},
    "two windows": {"window": (4, 12)},
    "tuples": {"window": (5, 6), "by_tuples": True},
    "band": {"band": (-1, 1)},
    "inequality": {"on": "<"},
}


def random_trace(seed: int, rows: int = 240) -> Trace:
    """Two streams, skewed keys, steps of several arrivals and gaps between steps."""
    rng = np.random.default_rng(seed)
    time = np.cumsum(rng.choice([0, 0, 1, 1, 1, 3], rows))
    key = np.minimum(rng.geometric(0.35, rows) - 1, KEYS - 1)
    stream = rng.choice(["R", "S"], rows, p=[0.6, 0.4])
    return trace_from_arrays(time, key, stream, importance=rng.integers(0, 9, rows) / 4)


def odd_traces() -> Iterator[tuple[str, Trace]]:
    """Traces at the edge: nothing, one stream, one key, one step."""
    none = np.empty(0, np.int64)
    yield "empty", trace_from_arrays(none, none, np.empty(0, object).astype(str))
    base = random_trace(5, 60)
    labels = np.array(["R", "S"])
    yield "one stream", trace_from_arrays(base.time, base.key, np.full(60, "R"))
    yield "one key", trace_from_arrays(base.time, np.zeros(60, int), labels[base.stream])
    yield "one step", trace_from_arrays(np.zeros(60, int), base.key, labels[base.stream])
    yield "one row", trace_from_arrays([3], [4], ["S"])


def join_of(trace: Trace, **options) -> Join:
    return prepare_join(trace, **(_OPTIONS | options))


def joins(policy: Policy, seeds: range = range(2)) -> Iterator[tuple[str, Join]]:
    """Every variant of the options that the policy is for, on random traces."""
    for seed in seeds:
        for name, options in _VARIANTS.items():
            if "probe-first" in policy.needs and options.get("evict_first"):
                continue
            yield f"{name}, trace {seed}", join_of(random_trace(seed), **options)


def fixed_curves(join: Join) -> tuple[AgeCurve, AgeCurve]:
    """Age curves that go up and down, and that no trace has told: they are an input."""
    return tuple(
        AgeCurve(np.arange(1, window + 1) * (3 + stream) % 5, 7, window)
        for stream, window in enumerate(reach(join))
    )


def with_other_future(trace: Trace, rows: int, seed: int) -> Trace:
    """The same first rows, then another future; key ids stay what they are."""
    rng = np.random.default_rng(seed)
    key = trace.key.copy()
    key[rows:] = rng.permutation(key[rows:])
    stream = trace.stream.copy()
    stream[rows:] = rng.permutation(stream[rows:])
    return replace(trace, key=key, stream=stream)


def with_other_names(trace: Trace, seed: int) -> Trace:
    """The same arrivals under other key names, so under other key ids."""
    names = np.random.default_rng(seed).permutation(len(trace.key_values)).astype(np.int32)
    return replace(trace, key=names[trace.key])


def references(trace: Trace) -> Trace:
    """A trace for caching: the same keys as one stream of references."""
    return trace_from_arrays(trace.time, trace.key_values[trace.key])
