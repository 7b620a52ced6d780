"""The fates of a run's tuples, as ranges of rows: whom each could meet, how long it was held.

A tuple meets partners among later rows. So what a run did to it is one number: the first row that
it could not meet any more. Probe-first only, where nothing else decides about a pair.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import Join
from streamjoin_core.engine.loop import CACHED, DROPPED, EVICTED, EXPIRED, LEAVES, SATED
from streamjoin_core.optimal.schedule import Schedule
from streamjoin_core.optimal.walk import step_starts

CAUSES = {
    DROPPED: "dropped on arrival",
    EVICTED: "evicted too early",
    LEAVES: "past its time to live",
    SATED: "had joined often enough",
}
_AFTER_THE_PROBE = (DROPPED, EVICTED, SATED)


class Fates(NamedTuple):
    """Columns with one value per row."""

    way: np.ndarray  # uint8: how it left, as the loop has it
    until: np.ndarray  # int64: the first row that it could not meet
    left_step: np.ndarray  # int64: the step at which it left; the number of steps if it did not
    rival: np.ndarray  # int32: the row that stayed in its place, or -1

    def held(self, join: Join) -> np.ndarray:
        """How many tuples [stream, step] memory held after each step."""
        starts = step_starts(join.rows.time)
        arrived = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        held = []
        for stream in range(2):
            kept = (self.way != DROPPED) & (join.rows.stream == stream)
            change = np.bincount(arrived[kept], minlength=len(starts))
            change -= np.bincount(self.left_step[kept], minlength=len(starts))
            held.append(np.cumsum(change)[: len(starts) - 1])
        return np.array(held)


def fates_of_run(join: Join, facts: JoinFacts) -> Fates:
    """From what a run recorded; `exact` records nothing, since it lets nobody go."""
    starts = step_starts(join.rows.time)
    number, steps = len(join.rows.time), len(starts) - 1
    if facts.ways is None:
        nobody = np.full(number, -1, np.int32)
        stays = np.full(number, number), np.full(number, steps)
        return Fates(np.full(number, CACHED, np.uint8), *stays, nobody)
    step = np.searchsorted(join.rows.time[starts[:-1]], facts.leaving)
    is_cached = facts.ways == CACHED
    step[is_cached] = steps
    sees_its_last_step = np.isin(facts.ways, _AFTER_THE_PROBE)
    until = starts[np.minimum(step + sees_its_last_step, steps)]
    return Fates(facts.ways, until, step, _who_stayed(facts.rival, step))


def _who_stayed(rival: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Whoever took a place and lost it within the step did not stay: the next one there did."""
    stayed = rival.copy()
    while True:
        went_too = (stayed >= 0) & (step[stayed] == step)
        if not went_too.any():
            return stayed
        stayed[went_too] = rival[stayed[went_too]]


def fates_of_schedule(schedule: Schedule) -> Fates:
    """Of the optimum: whoever never enters is dropped, and the others leave as if evicted."""
    starts = step_starts(schedule.join.rows.time)
    arrived = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    step = np.where(schedule.enters, schedule.leaving_step, arrived)
    way = np.where(schedule.enters, EVICTED, DROPPED).astype(np.uint8)
    return Fates(way, starts[step + 1], step, np.full(len(way), -1, np.int32))


def is_blamed(fates: Fates) -> np.ndarray:
    """Whose leaving was a decision: all but those whose window ended, and those still there."""
    return (fates.way != CACHED) & (fates.way != EXPIRED)
