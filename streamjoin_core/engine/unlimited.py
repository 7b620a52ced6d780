"""The join with unlimited memory: how many results there are, and how many each tuple waits for.

One pass over the rows with two trailing pointers, one per stream, at the tuples whose window ends.
No pair is looked at by itself, except within small steps.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.condition import KeyCounts, count, joining, keys_join, new_counts
from streamjoin_core.engine.rules import Rows, Rules, group_of, step_end

EXACT, SAME_STEP, EXPIRED, MOST_ARRIVALS = range(4)
NUMBER, TOTAL, SQUARES = range(3)

# Up to so many arrivals, comparing them with each other is faster than counting keys.
_SMALL_STEP = 8


class Unlimited(NamedTuple):
    """What there is to gain, and what unlimited memory itself looks like."""

    future: np.ndarray  # int32 per row: results still to come when the row's own step is over
    pairs: np.ndarray  # int64: EXACT, SAME_STEP results, EXPIRED tuples, MOST_ARRIVALS of a step
    lives: np.ndarray  # float64 [group, 3]: NUMBER, TOTAL and SQUARES of expired tuples' lifetimes
    groups: np.ndarray  # int64 [group, 2]: EXACT and SAME_STEP results by the later tuple's group
    occupancy: np.ndarray  # float64: sum of the left stream's shares, and number of steps with any


class _Pass(NamedTuple):
    """What the pass keeps on its way."""

    met: KeyCounts  # counted arrivals so far
    present: KeyCounts  # tuples in window; kept only if results are asked for by group
    here: KeyCounts  # arrivals of this step, if it is not small
    oldest: np.ndarray  # int64 [stream]: the first row that may still be in its window
    gone: np.ndarray  # int64 [stream]: how many tuples are before that row
    arrived: np.ndarray  # int64 [stream]


def survey(rows: Rows, rules: Rules, number_of_keys: int, number_of_groups: int) -> Unlimited:
    """Join with unlimited memory. Without groups, all rows are of one."""
    found = Unlimited(
        np.zeros(len(rows.time), np.int32),
        np.zeros(4, np.int64),
        np.zeros((number_of_groups, 3)),
        np.zeros((number_of_groups, 2), np.int64),
        np.zeros(2),
    )
    state = _Pass(
        *(new_counts(number_of_keys, rules.condition.kind) for _ in range(3)),
        *(np.zeros(2, np.int64) for _ in range(3)),
    )
    _survey(rows, rules, found, state)
    if not len(rows.group):
        # Every result is one that its earlier tuple waited for.
        found.groups[0, EXACT] = found.future.sum(dtype=np.int64)
    found.pairs[[EXACT, SAME_STEP]] = found.groups.sum(axis=0)
    return found


@inner
def _expire(rows, rules, found, state, stream, start):
    """Let go of the stream's tuples whose window has ended before the step that starts here."""
    now = rows.time[start]
    window = rules.window[stream]
    row = state.oldest[stream]
    while row < start:
        if rows.stream[row] == stream:
            life = now - rows.time[row]
            age = state.arrived[stream] - state.gone[stream] if rules.by_tuples else life
            if age <= window:
                break
            state.gone[stream] += 1
            key = rows.key[row]
            # Whatever it could meet, it has met.
            found.future[row] += joining(state.met, rules.condition, stream, key)
            if len(rows.group):
                count(state.present, rules.condition.kind, stream, key, -1)
            group = group_of(rows, row)
            found.lives[group, TOTAL] += float(life)
            found.lives[group, SQUARES] += float(life) * float(life)
            found.lives[group, NUMBER] += 1
        row += 1
    state.oldest[stream] = row


@inner
def _count_same_step(rows, rules, found, here, start, end):
    condition = rules.condition
    if end - start <= _SMALL_STEP:
        for row in range(start + 1, end):
            for other in range(start, row):
                stream = rows.stream[row]
                if rows.stream[other] != stream and keys_join(
                    condition, stream, rows.key[row], rows.key[other]
                ):
                    found.groups[group_of(rows, row), SAME_STEP] += 1
        return
    for row in range(start, end):
        stream, key = rows.stream[row], rows.key[row]
        found.groups[group_of(rows, row), SAME_STEP] += joining(here, condition, stream, key)
        count(here, condition.kind, stream, key, 1)
    for row in range(start, end):
        count(here, condition.kind, rows.stream[row], rows.key[row], -1)


@entry_point
def _survey(rows, rules, found, state):
    condition = rules.condition
    kind = condition.kind
    number = len(rows.time)
    start = 0
    while start < number:
        end = step_end(rows.time, start)
        found.pairs[MOST_ARRIVALS] = max(found.pairs[MOST_ARRIVALS], end - start)
        for stream in range(2):
            _expire(rows, rules, found, state, stream, start)
        if start >= rules.first_counted:
            for row in range(start, end):
                stream, key = rows.stream[row], rows.key[row]
                count(state.met, kind, stream, key, 1)
                if len(rows.group):
                    known = joining(state.present, condition, stream, key)
                    found.groups[rows.group[row], EXACT] += known
            if end > start + 1:
                _count_same_step(rows, rules, found, state.here, start, end)
        for row in range(start, end):
            stream, key = rows.stream[row], rows.key[row]
            state.arrived[stream] += 1
            found.future[row] = -joining(state.met, condition, stream, key)
            if len(rows.group):
                count(state.present, kind, stream, key, 1)
        left = state.arrived[0] - state.gone[0]
        found.occupancy[0] += left / (left + state.arrived[1] - state.gone[1])
        found.occupancy[1] += 1
        start = end
    found.pairs[EXPIRED] = state.gone[0] + state.gone[1]
    for stream in range(2):
        for row in range(state.oldest[stream], number):
            if rows.stream[row] == stream:
                found.future[row] += joining(state.met, condition, stream, rows.key[row])
