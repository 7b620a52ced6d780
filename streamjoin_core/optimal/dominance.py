"""Expected cumulative benefits (ECBs), and decisions that are optimal because of them.

The ECB of a tuple is the expected number of its results up to each time ahead; for caching, the
probability that it is referenced until then. If x's ECB is nowhere below y's, x dominates y, and
there is an optimal strategy that keeps x or lets y go. Likewise it is optimal to let a set go, if
all others dominate all of it and so many must leave.

After J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005, sections 5.1
and 5.2 (lemma 1, theorem 1, corollaries 1 and 2).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from streamjoin_core.engine.cumulative import (
    ROUNDING,
    Prospects,
    count_decisions,
    curve_after,
)
from streamjoin_core.engine.expectation import new_expectation
from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import Join, JoinTask, prepare_join
from streamjoin_core.errors import InputError
from streamjoin_core.models.first_use import first_use
from streamjoin_core.models.given import given_model, models_by_stream, read_model
from streamjoin_core.models.horizon import horizon_of
from streamjoin_core.options import PROBLEMS, one_of, whole_number, window_of_kind
from streamjoin_core.trace.trace import Trace

ONE = 2.0**40
_MOST_AHEAD = 10**6


def ecb(
    trace: Trace,
    key,
    *,
    at: int,
    horizon: int,
    stream: str | int | None = None,
    arrived: int | None = None,
    model: dict | None = None,
    problem: str = "joining",
    window: str | int | tuple | None = None,
    on: str = "=",
    band: tuple[float, float] | None = None,
) -> np.ndarray:
    """B(1), ..., B(horizon) of a tuple with this key at the end of the step of time `at`.

    Of the trace only what came until then is known, unless the model is offline. `stream` is the
    tuple's own label; it `arrived` at `at` if nothing else is said. Without a model the trace's own
    is taken; a stream without one is empirical. For caching, B is the probability of a reference.

    >>> from streamjoin_core import trace_from_arrays
    >>> trace = trace_from_arrays([1, 1], ["a", "b"], ["R", "S"])
    >>> model = {"S": {"kind": "stationary", "pmf": {"a": 0.25, "b": 0.75}}}
    >>> ecb(trace, "a", stream="R", at=1, horizon=3, model=model).tolist()
    [0.25, 0.5, 0.75]
    """
    one_of("problem", problem, PROBLEMS)
    horizon = whole_number("horizon", horizon, least=1, most=_MOST_AHEAD)
    trace, key_id = _with_key(trace, key)
    rows = int(np.searchsorted(trace.time, at, "right"))
    if rows == 0 or trace.time[rows - 1] != at:
        raise InputError(f"at is {at}, but no step has that time: give the time of one")
    given = given_model(read_model(model), trace, 1 if problem == "caching" else 2)
    entries = given.entries if given else {}
    if problem == "caching":
        (referenced, *_) = models_by_stream(trace.labels, entries)
        return first_use(referenced, trace, rows, key_id, horizon)
    windows = window_of_kind(window, "time", trace.time_unit)
    join = prepare_join(
        trace,
        window=windows,
        by_tuples=False,
        evict_first=False,
        on=on,
        band=band,
        combination="min",
        first_counted=0,
    )
    side = _side(trace, stream)
    remaining = int(join.rules.window[side]) - (at - (at if arrived is None else arrived))
    prospects = _prospects(join, entries, horizon)
    return curve_after(prospects, rows, side, np.uint32(key_id), remaining)


def _with_key(trace: Trace, key) -> tuple[Trace, int]:
    """The trace with a key among those it could have, and the key's id."""
    try:
        given = np.array([key], trace.key_values.dtype)
        is_like_them = trace.numeric_keys != isinstance(key, str) and bool(given[0] == key)
    except (TypeError, ValueError, OverflowError):
        is_like_them = False
    if not is_like_them:
        raise InputError(f"key {key!r} is not of the kind of the trace's keys: give one that is")
    values = np.union1d(trace.key_values, given)
    ids = np.searchsorted(values, trace.key_values).astype(np.int32)
    found = int(np.searchsorted(values, given)[0])
    return replace(trace, key_values=values, key=ids[trace.key]), found


def _side(trace: Trace, stream: str | int | None) -> int:
    labels = [str(label) for label in trace.labels]
    if str(stream) not in labels:
        raise InputError(f"stream is {stream!r}: give {' or '.join(map(repr, labels))}")
    return labels.index(str(stream))


def dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether an ECB is nowhere below another; less than 10^-9 of a result is rounding."""
    return bool((np.asarray(one) >= np.asarray(other) - ROUNDING).all())


def dominated_subset(ecbs: Sequence[Sequence[float]], at_most: int) -> list[int]:
    """The largest dominated subset with at most so many members, by their numbers, ascending.

    Among equal ECBs the earlier ones are in it. A dominated set holds those of the lowest sums, so
    only as many sets as there are candidates need to be looked at.
    """
    curves = np.asarray(ecbs, np.float64)
    order = np.argsort(curves.sum(axis=1), kind="stable")
    ranked = curves[order]
    highest = np.maximum.accumulate(ranked)
    lowest = np.minimum.accumulate(ranked[::-1])[::-1]
    for size in range(min(at_most, len(order)), 0, -1):
        if size == len(order) or dominates(lowest[size], highest[size - 1]):
            return sorted(order[:size].tolist())
    return []


def optimal_decisions(task: JoinTask, facts: JoinFacts) -> dict[str, int]:
    """How many of a run's decisions were provably optimal under the model.

    A decision is a step, in a part of the memory, at which somebody had to leave for want of room.
    It is decidable if a dominated subset of just as many candidates exists, and optimal if those
    who left are one.
    """
    counts = np.zeros(3, np.int64)
    if facts.ways is not None:
        join = task.join
        prospects = _prospects(join, task.model, horizon_of(join, task.model))
        most = min(len(join.trace), task.mem + join.most_arrivals)
        is_split = len(task.parts) == 2
        counts = count_decisions(prospects, join.rows, facts.ways, facts.leaving, most, is_split)
    names = ("decisions", "decidable_decisions", "optimal_decisions")
    return dict(zip(names, counts.tolist(), strict=True))


def _prospects(join: Join, entries: dict, horizon: int) -> Prospects:
    return Prospects(
        new_expectation(join, entries, horizon, ONE, of_unknown=False),
        horizon,
        join.rules.window,
        join.has_window,
        join.rules.by_tuples,
    )
