"""The trend of a stream's keys over time: a least-squares line, in one pass over all rows."""

from math import isfinite

import numpy as np

from streamjoin_core.engine.compiled import entry_point
from streamjoin_core.inspection.arrivals import units_per_unit
from streamjoin_core.inspection.report import Trend
from streamjoin_core.trace.trace import Trace

_ROWS, _TIME, _KEY, _TIME_TIME, _TIME_KEY, _KEY_KEY = range(6)


def trends(trace: Trace) -> list[Trend | None]:
    """Each stream's trend; None for strings, which have no distance."""
    if not trace.numeric_keys:
        return [None] * len(trace.labels)
    moments = np.zeros((2, 6))
    with np.errstate(all="ignore"):  # infinite keys and overflows end as undefined
        keys = trace.key_values.astype(np.float64)
        _add_moments(trace.time, trace.stream, trace.key, keys, moments)
    return [_trend(stream, units_per_unit(trace)) for stream in moments[: len(trace.labels)]]


def _trend(moments: np.ndarray, units: int) -> Trend:
    _, _, _, time_time, time_key, key_key = moments.tolist()
    if not time_time or not all(map(isfinite, (time_time, time_key, key_key))):
        return Trend(None, None)
    slope = time_key / time_time
    r_squared = min(1.0, slope * (time_key / key_key)) if key_key else None
    return Trend(slope * units, r_squared)


@entry_point
def _add_moments(time, stream, key, key_values, moments):
    """Per stream: number of rows, means, and sums of squares and products about the means.

    By Welford's updates, which lose nothing when times or keys are large and their spread is not.
    """
    for row in range(len(time)):
        of = moments[stream[row]]
        of[_ROWS] += 1
        from_time = float(time[row] - time[0]) - of[_TIME]
        from_key = key_values[key[row]] - of[_KEY]
        of[_TIME] += from_time / of[_ROWS]
        of[_KEY] += from_key / of[_ROWS]
        from_new_key = key_values[key[row]] - of[_KEY]
        of[_TIME_TIME] += from_time * (float(time[row] - time[0]) - of[_TIME])
        of[_TIME_KEY] += from_time * from_new_key
        of[_KEY_KEY] += from_key * from_new_key
