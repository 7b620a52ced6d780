"""When tuples arrive: steps, rates and gaps."""

import numpy as np

from streamjoin_core.inspection.parts import Part, Timeline
from streamjoin_core.inspection.report import Moment, Times
from streamjoin_core.trace.units import format_time

_PER_SECOND = {None: 1, "s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def units_per_unit(time_unit: str | None) -> int:
    """How many of the trace's units make one of the report: a second for timestamps."""
    return _PER_SECOND[time_unit]


def moment(time: int | None, unit: str | None) -> Moment | None:
    """A time as the report tells it; None for none."""
    return time if time is None or unit is None else format_time(time, unit)


def first_rows_of_steps(time: np.ndarray) -> np.ndarray:
    changes = np.flatnonzero(time[1:] != time[:-1]) + 1
    return np.concatenate(([0], changes)) if len(time) else changes


def times(part: Part, timeline: Timeline, unit: str | None) -> Times:
    steps = timeline.steps
    return Times(
        unit=None if unit is None else "s",
        first=moment(part.first, unit),
        last=moment(part.last, unit),
        duration=_duration(part, unit),
        steps=steps,
        arrivals_per_step_mean=part.rows / steps if steps else None,
        arrivals_per_step_max=timeline.most_arrivals if steps else None,
    )


def rate(part: Part, rows: int, unit: str | None) -> float | None:
    """So many rows of the trace per unit of time; undefined when all arrived at once.

    Times are whole numbers, so a trace lasts from its first to the end of its last unit: one row
    per unit is a rate of exactly 1.
    """
    span = part.last - part.first if part.rows else 0
    return rows * units_per_unit(unit) / (span + 1) if span else None


def mean_gap(first: int, last: int, rows: int, unit: str | None) -> float | None:
    """The mean time between arrivals of one stream."""
    return (last - first) / ((rows - 1) * units_per_unit(unit)) if rows > 1 else None


def _duration(part: Part, unit: str | None) -> int | float | None:
    if part.rows == 0:
        return None
    span = part.last - part.first
    return span if unit is None else span / units_per_unit(unit)
