"""One stream's arrivals as models are fitted to them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.trace.trace import Trace

_LARGEST_KEY = 2**52  # beyond, a double does not tell integers apart


@dataclass(frozen=True, eq=False)
class Series:
    """A stream's arrivals, in order.

    All kinds of model are compared on the same arrivals: the `scored` ones, which come at least one
    unit of time after the one before them, since walks and AR(1) say nothing of others. A cache's
    references count as one per unit, whatever their times.
    """

    label: str
    key: np.ndarray  # int32 ids into key_values
    key_values: np.ndarray  # ascending; may hold keys that are not among the arrivals
    time: np.ndarray  # int64
    gap: np.ndarray  # int64: units of time since the arrival before; 0 for the first

    def __len__(self) -> int:
        return len(self.key)

    @cached_property
    def scored(self) -> np.ndarray:
        """Row numbers within the series."""
        return np.flatnonzero(self.gap)

    @property
    def is_constant(self) -> bool:
        return bool((self.key == self.key[0]).all())

    @cached_property
    def values(self) -> np.ndarray:
        """The keys as whole numbers that vary, which all kinds but stationary need."""
        if self.key_values.dtype != np.int64:
            raise InputError(
                "its keys are not whole numbers: give --kind stationary, or keys in a unit in "
                "which they are whole, such as tenths"
            )
        if self.is_constant:
            raise InputError("its key never changes: give --kind stationary")
        values = self.key_values[self.key]
        if max(-int(values.min()), int(values.max())) > _LARGEST_KEY:
            raise InputError("its keys are beyond 2^52: give --kind stationary")
        return values


def series_of(trace: Trace, stream: int, rows: int, is_caching: bool) -> Series:
    """A stream's arrivals among the first rows of a trace; nothing of later rows is used."""
    own = np.flatnonzero(trace.stream[:rows] == stream)
    time = trace.time[own]
    gap = np.diff(time, prepend=time[:1])
    if is_caching:
        gap = np.minimum(np.arange(len(own)), 1)
    return Series(str(trace.labels[stream]), trace.key[own], trace.key_values, time, gap)
