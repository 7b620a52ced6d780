"""Windowed aggregates of all results and of a sample, and how far the one is from the other."""

from typing import NamedTuple

import numpy as np

from streamjoin_core.sampling.draw import Sample

AGGREGATES = ("avg", "sum", "count")


class Aggregates(NamedTuple):
    """At each step, over the results of the window that ends there; NaN where undefined."""

    true: np.ndarray
    estimated: np.ndarray

    def errors(self) -> np.ndarray:
        """Relative errors where the truth is not 0, NaN where there is no estimate."""
        judged = np.isfinite(self.true) & (self.true != 0)
        true, estimated = self.true[judged], self.estimated[judged]
        return np.abs(estimated - true) / np.abs(true)


def windowed(sample: Sample, times: np.ndarray, window: int, aggregate: str) -> Aggregates:
    """Aggregates over results of the last `window` units, the present one included."""
    first = np.searchsorted(times, times - window)
    count, total, weight, weighed = (
        _sums(column, first)
        for column in (sample.count, sample.total, sample.weight, sample.weighed)
    )
    # Sums over a window are differences of sums from the start: what is left of nothing is noise.
    is_empty = weight < 0.5
    if aggregate == "count":
        return Aggregates(count, weight)
    if aggregate == "sum":
        return Aggregates(total, np.where(is_empty, 0.0, weighed))
    nothing = np.full(len(times), np.nan)
    return Aggregates(
        np.divide(total, count, out=nothing.copy(), where=count > 0),
        np.divide(weighed, weight, out=nothing.copy(), where=~is_empty),
    )


def _sums(column: np.ndarray, first: np.ndarray) -> np.ndarray:
    """The sum from the first step of each window to its last, which is the step itself."""
    before = np.concatenate(([0.0], np.cumsum(column)))
    return before[1:] - before[first]
