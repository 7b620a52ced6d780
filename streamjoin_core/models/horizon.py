"""How far ahead expected benefits must be looked at, until their gain per time unit stays the same.

A stationary stream gains alike from the first time unit on, and so does what is learnt; a trend
when it has passed all keys; ar1 when it has forgotten where it was; the trace itself has an end. A
walk never comes to rest: it is looked at for 1,000 time units, as is whatever takes longer. Where
tuples leave their window, gains end one by one, so the whole window is looked at, up to as much.
"""

from math import ceil, isfinite, log

import numpy as np

from streamjoin_core.engine.joining import Join
from streamjoin_core.models.ar1 import Ar1
from streamjoin_core.models.chances import reach_of
from streamjoin_core.models.given import models_by_stream
from streamjoin_core.models.offline import Offline
from streamjoin_core.models.trend import Trend
from streamjoin_core.models.walk import Walk

LONGEST_LOOK = 1000
_FORGOTTEN = 1e-15
_NO_CHANCE = 1e-14


def horizon_of(join: Join, entries: dict) -> int:
    """Time units that are enough for the tuples of both streams."""
    models = models_by_stream(join.trace.labels, entries)
    return max(1, *(_needed(join, stream, models[1 - stream]) for stream in range(2)))


def _needed(join: Join, stream: int, model) -> int:
    lasting = _until_constant(join, stream, model)
    if not join.has_window:
        return lasting
    window = int(join.rules.window[stream])
    gains_nothing_more = isinstance(model, Offline) or (
        isinstance(model, Trend) and model.slope and join.on == "="
    )
    return min(window, lasting if gains_nothing_more else LONGEST_LOOK)


def _until_constant(join: Join, stream: int, model) -> int:
    if isinstance(model, Offline):
        time = join.rows.time
        return int(time[-1] - time[0]) if len(time) else 1
    if isinstance(model, Trend) and model.slope:
        return min(LONGEST_LOOK, _until_passed(join, stream, model))
    if isinstance(model, Walk):
        return LONGEST_LOOK
    if isinstance(model, Ar1) and model.phi1:
        return min(LONGEST_LOOK, ceil(log(_FORGOTTEN) / log(abs(model.phi1))))
    return 1


def _until_passed(join: Join, stream: int, trend) -> int:
    """The time units until a trend is past whatever was ahead of it when it arrived."""
    rows = np.flatnonzero(join.rows.stream == stream)
    if not len(rows):
        return 1
    lines = np.floor(trend.slope * join.rows.time[rows] + trend.intercept + 0.5)
    ahead = (join.trace.key_values[join.rows.key[rows]] - lines) * np.sign(trend.slope)
    first, weights = trend.noise()
    places = first + np.flatnonzero(weights / trend.total >= _NO_CHANCE)
    reach = reach_of(stream, join.on, join.band)
    wide = max((abs(end) for end in (reach.low, reach.high) if isfinite(end)), default=0)
    far = max(0.0, float(ahead.max())) + float(np.abs(places).max()) + wide + 1
    return ceil(far / abs(trend.slope)) + 1
