"""The memory that a join needs to lose nothing, and what each arrival brings.

A tuple is needed from its arrival until the last of its partners that come in its window. Who that
was is known when the window ends: the latest arrival that joins the tuple. So one pass with two
trailing pointers, one per stream, at the tuples whose window ends, and no pair is looked at.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.condition import EQUAL, RANGE, KeyCounts, count, joining, new_counts
from streamjoin_core.engine.rules import Rows, Rules, step_end

NEVER = -1
NEEDED, IN_WINDOW = 0, 1


class Needs(NamedTuple):
    """What there is to hold when memory has no limit."""

    brought: np.ndarray  # int32 per row: results with earlier tuples; 0 during warm-up
    change: np.ndarray  # int32 per row: by how much the row changes the number of needed tuples
    peak: np.ndarray  # int64: most tuples after a step that are NEEDED, and that are IN_WINDOW
    peak_row: np.ndarray  # int64: a row of the first step with so many; NEVER where there are none


class _Pass(NamedTuple):
    """What the pass keeps on its way."""

    present: KeyCounts  # tuples in window
    latest: np.ndarray  # int32 [stream, node]: a tree of latest rows whose second half are the keys
    oldest: np.ndarray  # int64 [stream]: the first row that may still be in its window
    gone: np.ndarray  # int64 [stream]: how many tuples are before that row
    arrived: np.ndarray  # int64 [stream]: how many tuples came before this step


def find_needs(rows: Rows, rules: Rules, number_of_keys: int) -> Needs:
    """Follow the join with unlimited memory, probe-first."""
    number = len(rows.time)
    needs = Needs(
        np.zeros(number, np.int32),
        np.zeros(number, np.int32),
        np.zeros(2, np.int64),
        np.full(2, NEVER, np.int64),
    )
    state = _Pass(
        new_counts(number_of_keys, rules.condition.kind),
        np.full((2, 2 * number_of_keys), NEVER, np.int32),
        *(np.zeros(2, np.int64) for _ in range(3)),
    )
    _follow(rows, rules, needs, state)
    return needs


@inner
def _note_latest(latest, kind, stream, key, row):
    node = np.int64(key) + latest.shape[1] // 2
    latest[stream, node] = row
    if kind != EQUAL:
        # Rows only grow, so the new one is the latest wherever it counts.
        while node > 1:
            node >>= 1
            latest[stream, node] = row


@inner
def _latest_within(latest, stream, low, high):
    """The latest row of a stream among the keys low ≤ id < high."""
    found = NEVER
    first = np.int64(low) + latest.shape[1] // 2
    end = np.int64(high) + latest.shape[1] // 2
    while first < end:
        if first & 1:
            found = max(found, latest[stream, first])
            first += 1
        if end & 1:
            end -= 1
            found = max(found, latest[stream, end])
        first >>= 1
        end >>= 1
    return found


@inner
def _latest_partner(latest, condition, stream, key):
    """The latest row of the other stream that joins a tuple of `stream` with this key."""
    other = 1 - stream
    number_of_keys = latest.shape[1] // 2
    if condition.kind == EQUAL:
        return np.int64(latest[other, number_of_keys + key])
    if condition.kind == RANGE:
        low, high = condition.low[stream, key], condition.high[stream, key]
        return np.int64(_latest_within(latest, other, low, high))
    below = _latest_within(latest, other, 0, key)
    return np.int64(max(below, _latest_within(latest, other, key + 1, number_of_keys)))


@inner
def _settle(rows, rules, latest, change, row):
    """A tuple's window ends: it was needed until its last partner, if it had a later one at all.

    A partner of its own step is no harm: within a step the two changes make up for each other.
    """
    last = _latest_partner(latest, rules.condition, rows.stream[row], rows.key[row])
    if last > row and last >= rules.first_counted:
        change[row] += 1
        change[last] -= 1


@inner
def _expire(rows, rules, needs, state, stream, start):
    """Let go of the stream's tuples whose window has ended before the step that starts here."""
    row = state.oldest[stream]
    while row < start:
        if rows.stream[row] == stream:
            if rules.by_tuples:
                age = state.arrived[stream] - state.gone[stream]
            else:
                age = rows.time[start] - rows.time[row]
            if age <= rules.window[stream]:
                break
            state.gone[stream] += 1
            _settle(rows, rules, state.latest, needs.change, row)
            count(state.present, rules.condition.kind, stream, rows.key[row], -1)
        row += 1
    state.oldest[stream] = row


@inner
def _note_peak(needs, what, level, row):
    if level > needs.peak[what]:
        needs.peak[what] = level
        needs.peak_row[what] = row


@entry_point
def _follow(rows, rules, needs, state):
    condition = rules.condition
    number = len(rows.time)
    start = 0
    while start < number:
        end = step_end(rows.time, start)
        for stream in range(2):
            _expire(rows, rules, needs, state, stream, start)
        if start >= rules.first_counted:
            for row in range(start, end):
                found = joining(state.present, condition, rows.stream[row], rows.key[row])
                needs.brought[row] = found
        for row in range(start, end):
            stream, key = rows.stream[row], rows.key[row]
            count(state.present, condition.kind, stream, key, 1)
            _note_latest(state.latest, condition.kind, stream, key, row)
            state.arrived[stream] += 1
        _note_peak(needs, IN_WINDOW, end - state.gone[0] - state.gone[1], start)
        start = end
    for stream in range(2):
        for row in range(state.oldest[stream], number):
            if rows.stream[row] == stream:
                _settle(rows, rules, state.latest, needs.change, row)
    level = start = 0
    while start < number:
        end = step_end(rows.time, start)
        for row in range(start, end):
            level += needs.change[row]
        _note_peak(needs, NEEDED, level, start)
        start = end
