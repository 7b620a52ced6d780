"""A schedule, tuple by tuple: who enters, when it leaves, and what it produces."""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.engine.joining import Join
from streamjoin_core.optimal.benefit import Benefit
from streamjoin_core.optimal.production import produce
from streamjoin_core.optimal.walk import step_starts

NEVER = -1


def streams_of_parts(number: int) -> tuple[tuple[int, ...], ...]:
    """Which streams each part of the memory holds: one pool, or one part for each stream."""
    return ((0, 1),) if number == 1 else ((0,), (1,))


@dataclass(frozen=True, eq=False)
class Schedule:
    """Columns with one value per row of the trace.

    A tuple that enters does so at its arrival. It leaves after the probe of its leaving step, whose
    arrivals may take its place.
    """

    join: Join
    parts: tuple[int, ...]  # the memory that it is meant for
    leaving_step: np.ndarray  # int32: NEVER if it never enters
    results: np.ndarray  # int64: pairs with later arrivals
    units: np.ndarray  # int64: their total benefit, in units of it
    importance: np.ndarray | None  # float64: their total importance; None if the trace has none

    @property
    def enters(self) -> np.ndarray:
        return self.leaving_step != NEVER

    @property
    def leaving_row(self) -> np.ndarray:
        """The first row of the leaving step; NEVER if it never enters."""
        starts = step_starts(self.join.rows.time)
        return np.where(self.enters, starts[self.leaving_step], NEVER)

    @property
    def leaving_time(self) -> np.ndarray:
        """The time of the leaving step, for those that enter."""
        return self.join.rows.time[self.leaving_row]

    @property
    def most_held(self) -> tuple[int, ...]:
        """The largest number of tuples that each part of the memory holds after any step."""
        starts = step_starts(self.join.rows.time)
        arrival_step = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        most = []
        for streams in streams_of_parts(len(self.parts)):
            held = self.enters & np.isin(self.join.rows.stream, streams)
            change = np.bincount(arrival_step[held], minlength=len(starts))
            change -= np.bincount(self.leaving_step[held], minlength=len(starts))
            most.append(int(np.cumsum(change).max(initial=0)))
        return tuple(most)


def make_schedule(
    join: Join, benefit: Benefit, parts: tuple[int, ...], leaving_step: np.ndarray
) -> Schedule:
    """The schedule in which rows leave after the probe of these steps, and what that produces."""
    made = produce(join, leaving_step, benefit)
    importance = made.importance if len(join.rows.importance) else None
    return Schedule(join, parts, leaving_step, made.results, made.units, importance)
