"""The order of all ages by what a tuple can still give, as whole ranks that tie where scores do.

    priority(i) = max over i < j <= W of (C(j) - C(i)) / (j - i)

is the steepest line from the point (i, C(i)) to a later one, so it touches the upper hull of these.
From the last age to the first, the hull is kept as a stack, whose top is where the line touches.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from streamjoin_core.age.curve import AgeCurve
from streamjoin_core.engine.compiled import compiled
from streamjoin_core.engine.fractions import SAFE

_EXACT = 2**53  # whole numbers below are exact as floating-point ones


def rank_ages(curves: Sequence[AgeCurve]) -> np.ndarray:
    """Ranks [stream, place] of ages in whole places, from 0 for no results to come.

    After a stream's last place all ranks are 0.
    """
    gains, waits = zip(*map(_steepest, curves), strict=True)
    whole = [
        waits[stream] * (max(1, curve.tuples) * curve.granularity)
        for stream, curve in enumerate(curves)
    ]
    ranks = _rank_fractions(np.concatenate(gains), np.concatenate(whole))
    table = np.zeros((2, max(curve.places for curve in curves) + 1), np.int32)
    start = 0
    for stream, curve in enumerate(curves):
        table[stream, : curve.places] = ranks[start : start + curve.places]
        start += curve.places
    return table


def _steepest(curve: AgeCurve) -> tuple[np.ndarray, np.ndarray]:
    """For each place but the last, the gain and the wait of the best later one."""
    totals, places = curve.totals, curve.places
    touches = np.zeros(places, np.int64)
    stack = np.zeros(places + 1, np.int64)
    is_safe = int(totals[-1]) * (places + 1) < SAFE
    # Not compiled, whole numbers of any size do.
    find = _find_touches if is_safe else getattr(_find_touches, "py_func", _find_touches)
    find(totals, touches, stack)
    gains = totals[touches] - totals[:places]
    waits = touches - np.arange(places)
    return gains, waits if is_safe else waits.astype(object)


@compiled
def _find_touches(totals, touches, stack):
    last = len(totals) - 1
    stack[0] = last
    height = 1
    for place in range(last - 1, -1, -1):
        while height > 1:
            top, below = stack[height - 1], stack[height - 2]
            gain = (totals[top] - totals[place]) * (below - place)
            other = (totals[below] - totals[place]) * (top - place)
            if gain > other:
                break
            height -= 1
        touches[place] = stack[height - 1]
        stack[height] = place
        height += 1


def _rank_fractions(gains: np.ndarray, wholes: np.ndarray) -> np.ndarray:
    """Ranks of gains / wholes, equal for equal fractions; 0 is that of nothing.

    A quotient of exact numbers is rounded, but never past another one: where quotients differ they
    tell the order, and only among equal ones the fractions themselves are looked at.
    """
    if wholes.dtype == object or (len(wholes) and wholes.max() >= _EXACT):
        quotients = np.array(
            [int(gain) / int(whole) for gain, whole in zip(gains, wholes, strict=True)]
        )
    else:
        quotients = gains / wholes
    levels, level_of = np.unique(np.append(quotients, 0.0), return_inverse=True)
    order = np.argsort(level_of, kind="stable")
    bounds = np.searchsorted(level_of[order], np.arange(len(levels) + 1))
    ranks = np.zeros(len(gains) + 1, np.int32)
    gains, wholes = np.append(gains, 0), np.append(wholes, 1)
    rank = -1
    for low, high in pairwise(bounds):
        equal = order[low:high]
        rank += 1
        ranks[equal] = rank
        if high - low > 1:
            rank += _split(ranks, rank, gains[equal], wholes[equal], equal)
    return ranks[:-1]


def _split(ranks, rank, gains, wholes, equal) -> int:
    """Tell fractions apart that round to one number; returns how many more ranks they take."""
    divisors = np.gcd(gains, wholes)
    if (gains // divisors == gains[0] // divisors[0]).all() and (
        wholes // divisors == wholes[0] // divisors[0]
    ).all():
        return 0
    values = [Fraction(int(gain), int(whole)) for gain, whole in zip(gains, wholes, strict=True)]
    distinct = {value: number for number, value in enumerate(sorted(set(values)))}
    ranks[equal] = [rank + distinct[value] for value in values]
    return len(distinct) - 1
