"""Periods of the run: at the start of each, importance is redefined for all tuples, also cached."""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import inner
from streamjoin_core.trace.trace import Trace


class Periods(NamedTuple):
    starts: np.ndarray  # int64: of all periods but the first
    kind: np.ndarray  # int32 [row]: what decides on a tuple's importance; empty if nothing changes
    current: np.ndarray  # int64 [1]


def new_periods(trace: Trace) -> Periods:
    changes = trace.redefinition
    if changes is None:
        return Periods(np.empty(0, np.int64), np.empty(0, np.int32), np.zeros(1, np.int64))
    return Periods(changes.starts, changes.kind, np.zeros(1, np.int64))


@inner
def starts_anew(periods, now):
    """Whether a period has begun since this was last asked."""
    before = periods.current[0]
    while periods.current[0] < len(periods.starts) and now >= periods.starts[periods.current[0]]:
        periods.current[0] += 1
    return periods.current[0] > before
