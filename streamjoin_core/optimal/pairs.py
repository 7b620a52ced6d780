"""Every result of a join, pair by pair, in the order in which unlimited memory produces them.

These are hooks of a walk, whose state has `rows`, `rules` and `waiting`, and the loop over the
partners of an arrival, from which the walk's third hook is made.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import inlined, inner
from streamjoin_core.engine.condition import EQUAL, RANGE, keys_join
from streamjoin_core.engine.joining import Join


class Waiting(NamedTuple):
    """Who waits: tuples start and stop waiting in order of arrival, so they are ranges of rows."""

    by_key: np.ndarray  # int32 [row]: rows sorted by stream and key, then by arrival
    first: np.ndarray  # int64 [stream, key]: where those that wait start
    end: np.ndarray  # int64 [stream, key]: where they end
    by_stream: np.ndarray  # int32 [row]: rows sorted by stream, then by arrival
    first_of_stream: np.ndarray  # int64 [stream]
    end_of_stream: np.ndarray  # int64 [stream]


def sort_by_key(join: Join) -> tuple[np.ndarray, np.ndarray]:
    """Rows by stream and key, then by arrival; and where stream * keys + key starts there."""
    bucket = join.rows.key + join.rows.stream.astype(np.int64) * join.number_of_keys
    sizes = np.bincount(bucket, minlength=2 * join.number_of_keys)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    return np.argsort(bucket, kind="stable").astype(np.int32), starts


def nobody_waits(join: Join) -> Waiting:
    by_key, starts = sort_by_key(join)
    places = starts[:-1].reshape(2, join.number_of_keys)
    by_stream = np.argsort(join.rows.stream, kind="stable").astype(np.int32)
    places_of_streams = np.array([0, np.count_nonzero(join.rows.stream == 0)])
    return Waiting(
        by_key, places, places.copy(), by_stream, places_of_streams, places_of_streams.copy()
    )


@inner
def start_waiting(state, row, step):
    stream, key = state.rows.stream[row], state.rows.key[row]
    state.waiting.end[stream, key] += 1
    state.waiting.end_of_stream[stream] += 1


@inner
def stop_waiting(state, row, start):
    stream, key = state.rows.stream[row], state.rows.key[row]
    state.waiting.first[stream, key] += 1
    state.waiting.first_of_stream[stream] += 1


@inlined
def meet(state, row, step, visit):
    """Call visit(state, earlier row, row, step) for all pairs of an arrival.

    It asks for keys if fewer keys may join than there are tuples that wait.
    """
    rows, condition, waiting = state.rows, state.rules.condition, state.waiting
    stream, key = rows.stream[row], np.int64(rows.key[row])
    other = 1 - stream
    low, high = key, key + 1
    if condition.kind == RANGE:
        low, high = np.int64(condition.low[stream, key]), np.int64(condition.high[stream, key])
    first, end = waiting.first_of_stream[other], waiting.end_of_stream[other]
    if condition.kind == EQUAL or (condition.kind == RANGE and high - low < end - first):
        for joining in range(low, high):
            for place in range(waiting.first[other, joining], waiting.end[other, joining]):
                visit(state, waiting.by_key[place], row, step)
    else:
        for place in range(first, end):
            earlier = waiting.by_stream[place]
            if keys_join(condition, stream, key, rows.key[earlier]):
                visit(state, earlier, row, step)
