"""The trend of a stream's keys over time: a least-squares line, in one pass over all rows."""

from math import isfinite

import numpy as np

from streamjoin_core.engine.compiled import entry_point
from streamjoin_core.inspection.report import Trend
from streamjoin_core.trace.trace import Trace

_ROWS, _TIME, _KEY, _TIME_TIME, _TIME_KEY, _KEY_KEY = range(6)


def moments_of(trace: Trace) -> list[np.ndarray | None]:
    """Each stream's moments, times from the trace's first on; None for strings."""
    if not trace.numeric_keys:
        return [None, None]
    moments = np.zeros((2, 6))
    with np.errstate(all="ignore"):  # infinite keys and overflows end as undefined
        keys = trace.key_values.astype(np.float64)
        _add_moments(trace.time, trace.stream, trace.key, keys, moments)
    return list(moments)


def joined_moments(parts: list[tuple[np.ndarray, int]]) -> np.ndarray | None:
    """The moments of several parts, given with how much later each one's times begin.

    After T. F. Chan, G. H. Golub, R. J. LeVeque, Algorithms for computing the sample variance,
    The American Statistician 37(3), 1983.
    """
    if not parts:
        return None
    whole = np.zeros(6)
    with np.errstate(all="ignore"):
        for moments, later in parts:
            of = moments.copy()
            of[_TIME] += later
            rows = whole[_ROWS] + of[_ROWS]
            if of[_ROWS]:
                apart = of[[_TIME, _KEY]] - whole[[_TIME, _KEY]]
                weight = whole[_ROWS] * of[_ROWS] / rows
                whole[[_TIME, _KEY]] += apart * (of[_ROWS] / rows)
                products = np.array([apart[0] ** 2, apart[0] * apart[1], apart[1] ** 2])
                whole[_TIME_TIME:] += of[_TIME_TIME:] + weight * products
            whole[_ROWS] = rows
    return whole


def trend_of(moments: np.ndarray | None, units: int) -> Trend | None:
    """The line through a stream's keys; None for strings, which have no distance."""
    if moments is None:
        return None
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
