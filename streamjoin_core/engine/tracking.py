"""Where a stream is now, learnt as it goes: on a line with noise around it, or at its last value.

The line is the one of least squares through all arrivals so far, each weighing `keep` times as
much as the next one (double exponential smoothing, in closed form). From sums over arrivals i of
weight w_i, value x_i and time t_i, counted from the last arrival,

    w = sum w_i;  s = sum w_i t_i;  ss = sum w_i t_i^2;  x = sum w_i x_i;  p = sum w_i x_i t_i
    slope = (w p - s x) / (w ss - s s);   at the last arrival: (ss x - s p) / (w ss - s s)

and a level line at x / w while w ss - s s is not above 10^-9 w ss. When an arrival comes, either
form has its error: the distance from the line, and from the last value moved on by the line's
slope. Their squares are summed, weighing as above; the form with the lower sum tells better, the
line among equals.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import inner

LINE, LAST = 0, 1
KEEP = 0.99
_LEVEL = 1e-9


class Tracking(NamedTuple):
    sums: np.ndarray  # float64 [stream, 5]: w, s, ss, x, p
    last: np.ndarray  # float64 [stream]: value of the last arrival
    then: np.ndarray  # int64 [stream]: its time
    number: np.ndarray  # int64 [stream]: arrivals so far
    errors: np.ndarray  # float64 [stream, form]


def new_tracking(streams: int) -> Tracking:
    return Tracking(
        sums=np.zeros((streams, 5)),
        last=np.zeros(streams),
        then=np.zeros(streams, np.int64),
        number=np.zeros(streams, np.int64),
        errors=np.zeros((streams, 2)),
    )


@inner
def line_at(tracking, stream, now):
    """The line's height now, and its slope."""
    w, s, ss, x, p = tracking.sums[stream]
    spread = w * ss - s * s
    if not spread > _LEVEL * w * ss:
        return x / w, 0.0
    slope = (w * p - s * x) / spread
    elapsed = float(now - tracking.then[stream])
    return (ss * x - s * p) / spread + slope * elapsed, slope


@inner
def track(tracking, stream, now, value):
    """An arrival of a stream."""
    sums, errors = tracking.sums, tracking.errors
    if tracking.number[stream] > 0:
        elapsed = float(now - tracking.then[stream])
        height, slope = line_at(tracking, stream, now)
        off = value - height
        errors[stream, LINE] = KEEP * errors[stream, LINE] + off * off
        off = value - (tracking.last[stream] + slope * elapsed)
        errors[stream, LAST] = KEEP * errors[stream, LAST] + off * off
        w, s, ss, x, p = sums[stream]
        sums[stream, 0] = KEEP * w
        sums[stream, 1] = KEEP * (s - elapsed * w)
        sums[stream, 2] = KEEP * (ss - elapsed * (2 * s - elapsed * w))
        sums[stream, 3] = KEEP * x
        sums[stream, 4] = KEEP * (p - elapsed * x)
    sums[stream, 0] += 1
    sums[stream, 3] += value
    tracking.last[stream] = value
    tracking.then[stream] = now
    tracking.number[stream] += 1


@inner
def better_form(tracking, stream):
    errors = tracking.errors
    return LAST if errors[stream, LAST] < errors[stream, LINE] else LINE
