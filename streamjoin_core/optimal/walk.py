"""One walk over a trace as unlimited memory sees it, for whoever wants to know more than counts.

What is to be done is given as compiled functions, which the loop is inlined with:

    expire(state, row, start)    the row's window, or the trace, is over where the step starts
    probe(state, row, step)      an arrival meets all who wait; left out during the warm-up
    wait(state, row, step)       the arrival is there for the steps to come
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import inlined
from streamjoin_core.engine.rules import step_end


class Clock(NamedTuple):
    """How far the walk is, per stream."""

    oldest: np.ndarray  # the first row that may still be in its window
    gone: np.ndarray  # how many tuples are before that row
    arrived: np.ndarray


def new_clock() -> Clock:
    return Clock(*np.zeros((3, 2), np.int64))


def step_starts(time: np.ndarray) -> np.ndarray:
    """The first row of each step, and the number of rows."""
    changes = np.flatnonzero(time[1:] != time[:-1]) + 1
    return np.concatenate(([0], changes, [len(time)])) if len(time) else np.zeros(1, np.int64)


@inlined
def walk(rows, rules, clock, state, expire, probe, wait):
    """Step by step, in the engine's order; the trace's end expires everyone."""
    number = len(rows.time)
    start = 0
    step = 0
    while start < number:
        now = rows.time[start]
        end = step_end(rows.time, start)
        for stream in range(2):
            row = clock.oldest[stream]
            while row < start:
                if rows.stream[row] == stream:
                    in_tuples = clock.arrived[stream] - clock.gone[stream]
                    age = in_tuples if rules.by_tuples else now - rows.time[row]
                    if age <= rules.window[stream]:
                        break
                    clock.gone[stream] += 1
                    expire(state, row, start)
                row += 1
            clock.oldest[stream] = row
        for row in range(start, end):
            if row >= rules.first_counted:
                probe(state, row, step)
        for row in range(start, end):
            clock.arrived[rows.stream[row]] += 1
            wait(state, row, step)
        start = end
        step += 1
    for stream in range(2):
        for row in range(clock.oldest[stream], number):
            if rows.stream[row] == stream:
                expire(state, row, start)
