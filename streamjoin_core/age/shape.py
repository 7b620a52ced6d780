"""The name of a curve's shape, with what may be chance left aside.

A curve that was counted is never smooth. So it is looked at in at most twenty buckets, and it rises
or falls only where the change is more than chance would make of it, and more than a small part of
its height: as Srivastava and Widom say of theirs, it has minima, but never increases significantly
after decreasing.
"""

import numpy as np

from streamjoin_core.age.curve import AgeCurve

_BUCKETS = 20
_DEVIATIONS = 3.0  # of a difference of two counts, of which chance makes less than this
_PART = 0.05  # of the largest bucket

NO_RESULTS, FLAT, INCREASING, DECREASING, BELL, MINIMA = (
    "no results",
    "flat",
    "increasing",
    "decreasing",
    "bell",
    "with minima",
)


def name_shape(curve: AgeCurve) -> str:
    """One of the names above.

    >>> shapes = ([1, 4, 9, 16], [9, 4, 1, 0], [1, 9, 9, 1], [9, 1, 1, 9], [5, 5, 5, 5], [0, 0])
    >>> [name_shape(AgeCurve(np.array(one) * 100, 100, len(one))) for one in shapes]
    ['increasing', 'decreasing', 'bell', 'with minima', 'flat', 'no results']
    """
    heights, noise = _buckets(curve)
    if not heights.any():
        return NO_RESULTS
    turns = _turns(heights, noise)
    if not turns:
        return FLAT
    return {(1,): INCREASING, (-1,): DECREASING, (1, -1): BELL}.get(tuple(turns), MINIMA)


def _buckets(curve: AgeCurve) -> tuple[np.ndarray, np.ndarray]:
    """Results per place in each bucket, and the deviation that chance gives them."""
    width = max(1, -(-curve.places // _BUCKETS))
    starts = np.arange(0, curve.places, width)
    if not len(starts):
        return np.zeros(1), np.zeros(1)
    sizes = np.diff(np.append(starts, curve.places))
    sums = np.add.reduceat(curve.counts, starts).astype(float)
    return sums / sizes, np.sqrt(sums) / sizes


def _turns(heights: np.ndarray, noise: np.ndarray) -> list[int]:
    """The directions 1 and -1 that the heights take one after the other.

    A direction is taken when a height is far enough from the lowest, or the highest, since the
    turn before.
    """
    least = _PART * heights.max()
    turns: list[int] = []
    low = high = 0
    for place in range(1, len(heights)):
        low = place if heights[place] <= heights[low] else low
        high = place if heights[place] >= heights[high] else high
        rises = heights[place] - heights[low] > _significant(noise, place, low, least)
        falls = heights[high] - heights[place] > _significant(noise, place, high, least)
        if rises and turns[-1:] != [1]:
            turns.append(1)
            high = place
        elif falls and turns[-1:] != [-1]:
            turns.append(-1)
            low = place
    return turns


def _significant(noise: np.ndarray, one: int, other: int, least: float) -> float:
    return max(least, _DEVIATIONS * float(np.hypot(noise[one], noise[other])))
