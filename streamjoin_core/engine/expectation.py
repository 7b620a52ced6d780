"""Expected numbers of results in the next time units, of known tuples and of those to come.

    known tuple of stream A, key v      Pr{X^B_t joins v}
    arrival of A at t' < t to come      sum over v of Pr{X^A_t' = v} Pr{X^B_t joins v}

given the history, in the small whole units of the outlooks; the streams are independent.
"""

from math import floor
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import inner
from streamjoin_core.engine.condition import (
    EQUAL,
    UNEQUAL,
    Condition,
    KeyCounts,
    count,
    joining,
    keys_join,
    new_counts,
)
from streamjoin_core.engine.joining import Join
from streamjoin_core.models.outlook import (
    COMING,
    FIXED,
    LEARNT,
    TREND,
    WALK,
    chance_of_meeting,
    find_outlooks,
)

_UNBOUNDED = 2**61


class Expectation(NamedTuple):
    time: np.ndarray
    stream: np.ndarray
    key: np.ndarray
    key_values: np.ndarray  # int64 [key]; empty unless keys are whole numbers
    condition: Condition
    outlooks: tuple  # of the left and the right stream
    one: float  # small units of certainty
    meeting: int  # chance that arrivals of two stationary streams join
    low: np.ndarray  # int64 [stream]: v joins the other stream's v + low to v + high ...
    high: np.ndarray  # int64 [stream]: ... or, if the condition is UNEQUAL, all but these
    past: KeyCounts  # all arrivals so far
    pairs: np.ndarray  # int64 [1]: of them, those that would join, however far apart
    rows: np.ndarray  # int64 [1]: how many rows have been seen
    last_time: np.ndarray  # int64 [stream]: of the last arrival
    last_key: np.ndarray  # int64 [stream]: -1 before the first
    row: np.ndarray  # int64 [stream, ahead]: which row of a TABLED outlook tells; -1 for none
    origin: np.ndarray  # int64 [stream, ahead]: the value of its place 0
    met: np.ndarray  # int64 [stream, ahead, ahead, 3]: rows and distance of the sum below
    chance: np.ndarray  # int64 [stream, ahead, ahead]: sums that need not be made again


def new_expectation(
    join: Join, model: dict | None, lookahead: int, one: float, *, of_unknown: bool
) -> Expectation:
    """Nothing has arrived yet; `of_unknown` is whether tuples to come are asked for, too."""
    low, high = reach(join)
    keys, units = join.trace.key_values, lookahead + 1
    pairs_of_units = (2, units, units) if of_unknown else (2, 0, 0)
    return Expectation(
        time=join.rows.time,
        stream=join.rows.stream,
        key=join.rows.key,
        key_values=keys if keys.dtype == np.int64 else np.empty(0, np.int64),
        condition=join.rules.condition,
        outlooks=find_outlooks(join, model, lookahead, one),
        one=one,
        meeting=round(chance_of_meeting(join, model) * one) if of_unknown else 0,
        low=low,
        high=high,
        past=new_counts(join.number_of_keys, join.rules.condition.kind),
        pairs=np.zeros(1, np.int64),
        rows=np.zeros(1, np.int64),
        last_time=np.zeros(2, np.int64),
        last_key=np.full(2, -1, np.int64),
        row=np.full((2, units), -1, np.int64),
        origin=np.zeros((2, units), np.int64),
        met=np.full((*pairs_of_units, 3), -1, np.int64),
        chance=np.zeros(pairs_of_units, np.int64),
    )


def reach(join: Join) -> tuple[np.ndarray, np.ndarray]:
    """Differences of whole keys that join, for a tuple of either stream."""
    kind = join.rules.condition.kind
    if kind in (EQUAL, UNEQUAL):
        low = high = 0.0
    elif join.band is not None:
        low, high = np.ceil(join.band[0]), np.floor(join.band[1])
    else:
        inf = np.inf
        low, high = {"<": (1, inf), "<=": (0, inf), ">=": (-inf, 0), ">": (-inf, -1)}[join.on]
    bounds = np.array([[low, -high], [high, -low]])
    return tuple(np.clip(bounds, -_UNBOUNDED, _UNBOUNDED).astype(np.int64))


@inner
def note_arrival(expected, stream, key):
    row = expected.rows[0]
    expected.rows[0] += 1
    expected.last_time[stream] = expected.time[row]
    expected.last_key[stream] = key
    if expected.outlooks[0].kind == LEARNT or expected.outlooks[1].kind == LEARNT:
        expected.pairs[0] += joining(expected.past, expected.condition, stream, key)
        count(expected.past, expected.condition.kind, stream, key, 1)


@inner
def look_ahead(expected, lookahead):
    """Find the tables' rows for each time unit ahead."""
    now = expected.time[expected.rows[0] - 1]
    for stream in range(2):
        outlook = expected.outlooks[stream]
        last = expected.last_key[stream]
        silence = now - expected.last_time[stream]
        for ahead in range(1, lookahead + 1):
            row, origin = np.int64(-1), np.int64(0)
            if outlook.process == TREND:
                row = 0
                origin = np.int64(floor(outlook.slope * (now + ahead) + outlook.intercept + 0.5))
            elif last >= 0 and outlook.process == WALK:
                row, origin = silence + ahead, expected.key_values[last]
            elif last >= 0:
                row = (silence + ahead) * len(expected.key_values) + last
            if row >= 0 and len(outlook.first) > 0:
                origin += outlook.first[row]
            expected.row[stream, ahead], expected.origin[stream, ahead] = row, origin


@inner
def arrivals_that_join(expected, other, ahead, key):
    """Expected number of arrivals so far ahead of stream `other` that join a tuple of this key."""
    outlook = expected.outlooks[other]
    if outlook.kind == FIXED:
        return outlook.by_key[key]
    if outlook.kind == LEARNT:
        number = expected.past.total[other]
        if number == 0:
            return np.int64(0)
        found = joining(expected.past, expected.condition, 1 - other, key)
        return np.int64(found / number * expected.one + 0.5)
    if outlook.kind == COMING:
        found = 0
        then = expected.time[expected.rows[0] - 1] + ahead
        row = expected.rows[0]
        while row < len(expected.time) and expected.time[row] <= then:
            if expected.time[row] == then and expected.stream[row] == other:
                found += keys_join(expected.condition, 1 - other, key, expected.key[row])
            row += 1
        return np.int64(found * expected.one)
    return _tabled_that_join(expected, other, ahead, expected.key_values[key])


@inner
def _tabled_that_join(expected, other, ahead, value):
    """Likewise for a TABLED outlook and a value that need not be in the trace.

    Chances in a table are rounded one by one, so whatever has all of them is told to be certain.
    """
    row = expected.row[other, ahead]
    if row < 0:
        return np.int64(0)
    below = expected.outlooks[other].below
    last = below.shape[1] - 1
    place = value - expected.origin[other, ahead]
    start = min(max(place + expected.low[1 - other], 0), last)
    end = min(max(place + expected.high[1 - other] + 1, 0), last)
    inside = below[row, end] - below[row, start]
    if inside == below[row, last]:
        inside = np.int64(expected.one)
    return np.int64(expected.one) - inside if expected.condition.kind == UNEQUAL else inside


@inner
def chance_to_come(expected, stream, arrival, ahead):
    """Expected results at `ahead` of the stream's arrival at `arrival`, which is not yet known."""
    other = 1 - stream
    own, its = expected.outlooks[stream], expected.outlooks[other]
    if its.kind == COMING:
        total = np.int64(0)
        then = expected.time[expected.rows[0] - 1] + ahead
        row = expected.rows[0]
        while row < len(expected.time) and expected.time[row] <= then:
            if expected.time[row] == then and expected.stream[row] == other:
                total += arrivals_that_join(expected, stream, arrival, expected.key[row])
            row += 1
        return total
    if own.kind == LEARNT and its.kind == LEARNT:
        number = expected.past.total[0] * expected.past.total[1]
        return np.int64(expected.pairs[0] / number * expected.one + 0.5) if number else np.int64(0)
    if own.kind == LEARNT:
        return _learnt_and(expected, stream, ahead)
    if its.kind == LEARNT:
        return _learnt_and(expected, other, arrival)
    if own.kind == FIXED and its.kind == FIXED:
        return np.int64(expected.meeting)
    if own.kind == FIXED:
        return _fixed_and(expected, stream, ahead)
    if its.kind == FIXED:
        return _fixed_and(expected, other, arrival)
    return _both_tabled(expected, stream, arrival, ahead)


@inner
def _learnt_and(expected, learnt, ahead):
    """A stream known by its past, and one with a model at its time."""
    total, number = 0.0, expected.past.total[learnt]
    for key in range(expected.past.point.shape[1]):
        if expected.past.point[learnt, key] > 0:
            found = arrivals_that_join(expected, 1 - learnt, ahead, np.uint32(key))
            total += expected.past.point[learnt, key] * float(found)
    return np.int64(total / max(1, number) + 0.5)


@inner
def _fixed_and(expected, fixed, ahead):
    """A stationary stream, and one with tables at its time."""
    total = 0.0
    outlook = expected.outlooks[fixed]
    for i in range(len(outlook.support)):
        found = _tabled_that_join(expected, 1 - fixed, ahead, outlook.support[i])
        total += outlook.weight[i] * found
    return np.int64(total + 0.5)


@inner
def _both_tabled(expected, stream, arrival, ahead):
    """A sum over the arrival's values; as long as the two stay as far apart, it stays the same."""
    row, other_row = expected.row[stream, arrival], expected.row[1 - stream, ahead]
    if row < 0 or other_row < 0:
        return np.int64(0)
    origin = expected.origin[stream, arrival]
    distance = expected.origin[1 - stream, ahead] - origin
    met = expected.met[stream, arrival, ahead]
    if met[0] != row or met[1] != other_row or met[2] != distance:
        below = expected.outlooks[stream].below
        total = 0.0
        for place in range(below.shape[1] - 1):
            chance = below[row, place + 1] - below[row, place]
            if chance > 0:
                found = _tabled_that_join(expected, 1 - stream, ahead, origin + place)
                total += chance * float(found)
        met[0], met[1], met[2] = row, other_row, distance
        expected.chance[stream, arrival, ahead] = np.int64(total / expected.one + 0.5)
    return expected.chance[stream, arrival, ahead]
