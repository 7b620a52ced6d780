"""Expected cumulative benefits of candidates, and whether those that left were dominated by others.

    B_x(d) = sum over wait = 1 ... d of Pr{an arrival of B joins x after `wait` | history}

up to x's end of window. A curve holds B up to a horizon, then the gain per time unit from there on,
and B at the end of the window. A set is dominated if all curves outside of it are nowhere below
any curve in it; less than 10^-9 of a result is rounding.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import compiled, inner
from streamjoin_core.engine.condition import keys_join
from streamjoin_core.engine.expectation import (
    Expectation,
    arrivals_that_join,
    look_ahead,
    note_arrival,
)
from streamjoin_core.engine.loop import BOTH, DROPPED, EVICTED, EXPIRED, LEAVES, SATED
from streamjoin_core.engine.rules import step_end
from streamjoin_core.models.outlook import COMING

ROUNDING = 1e-9  # of a result
_RELATIVE = 1e-12  # of a sum over a long window


class Prospects(NamedTuple):
    expected: Expectation
    horizon: int
    window: np.ndarray  # int64 [stream]
    has_window: bool
    by_tuples: bool


@inner
def _fill(prospects, curve, stream, key, remaining):
    """A tuple's curve, when the time units ahead have been looked at."""
    expected, horizon = prospects.expected, prospects.horizon
    other = 1 - stream
    kind = expected.outlooks[other].kind
    if kind == COMING:
        _add_known(prospects, curve, stream, key, remaining)
        return
    total, rate = 0.0, 0.0
    for ahead in range(1, horizon + 1):
        if ahead > remaining:
            rate = 0.0
        elif ahead == 1 or kind > COMING:
            rate = float(arrivals_that_join(expected, other, ahead, key))
        total += rate
        curve[ahead - 1] = total
    curve[horizon] = rate if remaining > horizon else 0.0
    curve[horizon + 1] = total
    if prospects.has_window and remaining > horizon:
        curve[horizon + 1] += rate * (remaining - horizon)


@inner
def _add_known(prospects, curve, stream, key, remaining):
    """Of a stream whose arrivals are known, all within the horizon; after it there are none."""
    expected, horizon = prospects.expected, prospects.horizon
    curve[:] = 0.0
    row = expected.rows[0]
    now = expected.time[row - 1]
    last = now + min(horizon, remaining)
    while row < len(expected.time) and expected.time[row] <= last:
        is_other = expected.stream[row] != stream
        if is_other and keys_join(expected.condition, stream, key, expected.key[row]):
            curve[expected.time[row] - now - 1] += expected.one
        row += 1
    for ahead in range(1, horizon):
        curve[ahead] += curve[ahead - 1]
    curve[horizon + 1] = curve[horizon - 1]


@inner
def _is_dominated(prospects, curves, order, inside):
    """Whether the first so many curves in an order are nowhere above any of the others."""
    slack = ROUNDING * prospects.expected.one
    for place in range(curves.shape[1]):
        high = 0.0
        for i in range(inside):
            high = max(high, curves[order[i], place])
        for i in range(inside, len(order)):
            if curves[order[i], place] + slack + _RELATIVE * high < high:
                return False
    return True


@compiled
def count_decisions(prospects, rows, ways, leaving, most, is_split):
    """Decisions, those in which a dominated set was large enough, and those in which it left."""
    expected = prospects.expected
    time, stream = rows.time, rows.stream
    held = np.zeros(most, np.int64)
    since = np.zeros(most, np.int64)
    clock = np.zeros(2, np.int64)
    curves = np.zeros((most, prospects.horizon + 2))
    counts = np.zeros(3, np.int64)
    number, start = 0, 0
    while start < len(time):
        now, end = time[start], step_end(time, start)
        number = _without(held, since, number, ways, leaving, now, EXPIRED, LEAVES)
        number = _without(held, since, number, ways, leaving, now, SATED, SATED)
        for row in range(start, end):
            note_arrival(expected, np.int64(stream[row]), np.int64(rows.key[row]))
            if not (ways[row] == SATED and leaving[row] == now):
                held[number] = row
                since[number] = clock[stream[row]] if prospects.by_tuples else now
                number += 1
            clock[stream[row]] += 1
        for part in range(2 if is_split else 1):
            of = part if is_split else BOTH
            _judge(prospects, rows, ways, leaving, held[:number], since, clock, of, curves, counts)
        number = _without(held, since, number, ways, leaving, now, DROPPED, EVICTED)
        start = end
    return counts


@inner
def _without(held, since, number, ways, leaving, now, one_way, other_way):
    """Keep those who do not leave now in one of two ways; returns how many there are."""
    kept = 0
    for i in range(number):
        row = held[i]
        if leaving[row] != now or (ways[row] != one_way and ways[row] != other_way):
            held[kept], since[kept] = row, since[i]
            kept += 1
    return kept


@compiled
def _judge(prospects, rows, ways, leaving, held, since, clock, part, curves, counts):
    """Count the decision that was made in one part of the memory, if there was one."""
    now = rows.time[prospects.expected.rows[0] - 1]
    candidates = np.zeros(len(held), np.int64)
    number = gone = 0
    for leaves in (True, False):
        for i in range(len(held)):
            row = held[i]
            is_going = leaving[row] == now and (ways[row] == DROPPED or ways[row] == EVICTED)
            if is_going == leaves and (part == BOTH or rows.stream[row] == part):
                candidates[number] = i
                number += 1
        if leaves:
            gone = number
    if gone == 0:
        return
    look_ahead(prospects.expected, prospects.horizon)
    worth = np.zeros(number)
    for i in range(number):
        at = candidates[i]
        row = held[at]
        stream = np.int64(rows.stream[row])
        passed = clock[stream] - 1 if prospects.by_tuples else now
        remaining = prospects.window[stream] - (passed - since[at])
        _fill(prospects, curves[i], stream, rows.key[row], remaining)
        worth[i] = curves[i].sum()
    counts[0] += 1
    # Who is nowhere above another is not worth more: a dominated set has the lowest sums.
    if _is_dominated(prospects, curves, np.argsort(worth, kind="mergesort"), gone):
        counts[1] += 1
        counts[2] += _is_dominated(prospects, curves, np.arange(number), gone)


@compiled
def curve_after(prospects, rows, stream, key, remaining):
    """One tuple's curve when so many rows have arrived."""
    expected = prospects.expected
    for row in range(rows):
        note_arrival(expected, np.int64(expected.stream[row]), np.int64(expected.key[row]))
    look_ahead(expected, prospects.horizon)
    curve = np.zeros(prospects.horizon + 2)
    _fill(prospects, curve, stream, key, remaining)
    return curve[: prospects.horizon] / expected.one
