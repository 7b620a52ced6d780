"""When tuples arrive: steps, rates and gaps."""

import numpy as np

from streamjoin_core.inspection.report import Moment, Times
from streamjoin_core.trace.trace import Trace
from streamjoin_core.trace.units import format_time

_PER_SECOND = {None: 1, "s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def units_per_unit(trace: Trace) -> int:
    """How many of the trace's units make one of the report: a second for timestamps."""
    return _PER_SECOND[trace.time_unit]


def moment(trace: Trace, row: int) -> Moment | None:
    """The time of a row as the report tells it; None for no row."""
    if not 0 <= row < len(trace):
        return None
    time = int(trace.time[row])
    return time if trace.time_unit is None else format_time(time, trace.time_unit)


def first_rows_of_steps(time: np.ndarray) -> np.ndarray:
    changes = np.flatnonzero(time[1:] != time[:-1]) + 1
    return np.concatenate(([0], changes)) if len(time) else changes


def times(trace: Trace, first_rows: np.ndarray) -> Times:
    rows, steps = len(trace), len(first_rows)
    return Times(
        unit=None if trace.time_unit is None else "s",
        first=moment(trace, 0),
        last=moment(trace, rows - 1),
        duration=_duration(trace),
        steps=steps,
        arrivals_per_step_mean=rows / steps if steps else None,
        arrivals_per_step_max=int(np.diff(first_rows, append=rows).max()) if steps else None,
    )


def rate(trace: Trace, rows: int) -> float | None:
    """So many rows of the trace per unit of time; undefined when all arrived at once.

    Times are whole numbers, so a trace lasts from its first to the end of its last unit: one row
    per unit is a rate of exactly 1.
    """
    span = _span(trace.time)
    return rows * units_per_unit(trace) / (span + 1) if span else None


def mean_gap(trace: Trace, own_times: np.ndarray) -> float | None:
    """The mean time between arrivals of one stream, given their times."""
    gaps = len(own_times) - 1
    return _span(own_times) / (gaps * units_per_unit(trace)) if gaps > 0 else None


def _duration(trace: Trace) -> int | float | None:
    if len(trace) == 0:
        return None
    span = _span(trace.time)
    return span if trace.time_unit is None else span / units_per_unit(trace)


def _span(time: np.ndarray) -> int:
    return int(time[-1]) - int(time[0]) if len(time) else 0
