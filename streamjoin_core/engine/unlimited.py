"""The join with unlimited memory: how many results there are, and how many each tuple waits for.

One pass over the rows with two trailing pointers, one per stream, at the tuples whose window ends.
No pair is looked at by itself.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import compiled, inner
from streamjoin_core.engine.condition import count, joining, new_counts
from streamjoin_core.engine.rules import Rows, Rules, step_end

EXACT, SAME_STEP, EXPIRED = range(3)
NUMBER, TOTAL, SQUARES = range(3)


class Unlimited(NamedTuple):
    """What there is to gain, and what unlimited memory itself looks like."""

    future: np.ndarray  # int32 per row: results still to come when the row's own step is over
    pairs: np.ndarray  # int64: EXACT, SAME_STEP results and EXPIRED tuples
    lives: np.ndarray  # float64 [group, 3]: NUMBER, TOTAL and SQUARES of expired tuples' lifetimes
    groups: np.ndarray  # int64 [group, 2]: EXACT and SAME_STEP results by the later tuple's group
    occupancy: np.ndarray  # float64: sum of the left stream's shares, and number of steps with any


def survey(rows: Rows, rules: Rules, number_of_keys: int, number_of_groups: int) -> Unlimited:
    """Join with unlimited memory. Without groups, all rows are of one."""
    kind = rules.condition.kind
    found = Unlimited(
        np.zeros(len(rows.time), np.int32),
        np.zeros(3, np.int64),
        np.zeros((number_of_groups, 3)),
        np.zeros((number_of_groups, 2), np.int64),
        np.zeros(2),
    )
    counts = [new_counts(number_of_keys, kind) for _ in range(3)]
    _survey(rows, rules, found, *counts)
    return found


@inner
def _leave(rows, rules, found, present, met, row):
    """A tuple's window ends: whatever it could meet, it has met."""
    stream, key = rows.stream[row], rows.key[row]
    found.future[row] += joining(met, rules.condition, stream, key)
    count(present, rules.condition.kind, stream, key, -1)


@inner
def _note_life(rows, found, row, now):
    life = float(now - rows.time[row])
    group = rows.group[row] if len(rows.group) else 0
    found.lives[group, NUMBER] += 1
    found.lives[group, TOTAL] += life
    found.lives[group, SQUARES] += life * life


@compiled
def _survey(rows, rules, found, present, met, here):
    """`present`: tuples in window; `met`: counted arrivals so far; `here`: those of this step."""
    condition = rules.condition
    kind = condition.kind
    n = len(rows.time)
    oldest = np.zeros(2, np.int64)  # per stream, the first row that may still be in its window
    gone = np.zeros(2, np.int64)  # per stream, how many tuples of it are before that row
    arrived = np.zeros(2, np.int64)
    start = 0
    while start < n:
        now = rows.time[start]
        end = step_end(rows.time, start)
        for stream in range(2):
            row = oldest[stream]
            while row < start:
                if rows.stream[row] == stream:
                    age = (
                        arrived[stream] - gone[stream] if rules.by_tuples else now - rows.time[row]
                    )
                    if age <= rules.window[stream]:
                        break
                    gone[stream] += 1
                    _leave(rows, rules, found, present, met, row)
                    _note_life(rows, found, row, now)
                    found.pairs[EXPIRED] += 1
                row += 1
            oldest[stream] = row
        is_counted = start >= rules.first_counted
        for row in range(start, end):
            stream, key = rows.stream[row], rows.key[row]
            arrived[stream] += 1
            if is_counted:
                count(met, kind, stream, key, 1)
                group = rows.group[row] if len(rows.group) else 0
                found.groups[group, EXACT] += joining(present, condition, stream, key)
                if end > start + 1:
                    found.groups[group, SAME_STEP] += joining(here, condition, stream, key)
                    count(here, kind, stream, key, 1)
        for row in range(start, end):
            stream, key = rows.stream[row], rows.key[row]
            found.future[row] = -joining(met, condition, stream, key)
            count(present, kind, stream, key, 1)
            if is_counted and end > start + 1:
                count(here, kind, stream, key, -1)
        found.occupancy[0] += present.total[0] / (present.total[0] + present.total[1])
        found.occupancy[1] += 1
        start = end
    for stream in range(2):
        for row in range(oldest[stream], n):
            if rows.stream[row] == stream:
                _leave(rows, rules, found, present, met, row)
    for group in range(found.groups.shape[0]):
        found.pairs[EXACT] += found.groups[group, EXACT]
        found.pairs[SAME_STEP] += found.groups[group, SAME_STEP]
