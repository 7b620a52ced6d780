"""A set of row numbers that gives its largest: a bit per row, and a bit per word that has any.

The words of all levels stand in one array, rows first; level i + 1 has a bit for each word of level
i, up to one single word. Work per call is at most one word per level, of which there are log32 of
the rows; mostly it is one. The row added last waits outside: if it is the largest, as that of an
object seldom referenced often is, it leaves again without a trace.
"""

import math
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import inner

NO_ROW = -1
_SHIFT = 5  # 32 bits to a word
_LAST_BIT = 31


class RowSet(NamedTuple):
    words: np.ndarray  # uint32, level after level
    starts: np.ndarray  # int64 [level]: its first word
    largest: np.ndarray  # int64 [1]: among the bits, or NO_ROW
    newest: np.ndarray  # int64 [1]: the one that waits outside, or NO_ROW


def new_row_set(rows: int) -> RowSet:
    """An empty set for numbers below `rows`."""
    sizes = [max(1, -(-rows >> _SHIFT))]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] >> _SHIFT))
    starts = np.cumsum([0, *sizes[:-1]], dtype=np.int64)
    none = np.full(1, NO_ROW, np.int64)
    return RowSet(np.zeros(sum(sizes), np.uint32), starts, none, none.copy())


@inner
def add(rows, row):
    before = rows.newest[0]
    if before != NO_ROW:
        _set_bit(rows, before)
        rows.largest[0] = max(rows.largest[0], before)
    rows.newest[0] = row


@inner
def pop_largest(rows):
    """Take the largest row out; there must be one."""
    newest, largest = rows.newest[0], rows.largest[0]
    if newest > largest:
        rows.newest[0] = NO_ROW
        return newest
    _clear_bit(rows, largest)
    rows.largest[0] = _largest_below(rows, largest)
    return largest


@inner
def _set_bit(rows, place):
    for start in rows.starts:
        word = start + (place >> _SHIFT)
        before = rows.words[word]
        rows.words[word] = before | np.uint32(1 << (place & _LAST_BIT))
        if before != 0:
            break
        place >>= _SHIFT


@inner
def _clear_bit(rows, place):
    for start in rows.starts:
        word = start + (place >> _SHIFT)
        rows.words[word] &= ~np.uint32(1 << (place & _LAST_BIT))
        if rows.words[word] != 0:
            break
        place >>= _SHIFT


@inner
def _largest_below(rows, place):
    """The next smaller row with a bit: up to a word that has one, and down again."""
    for level, start in enumerate(rows.starts):
        smaller = (np.int64(1) << (place & _LAST_BIT)) - 1
        place >>= _SHIFT
        found = np.int64(rows.words[start + place]) & smaller
        if found != 0:
            place = place << _SHIFT | _highest_bit(found)
            for below in range(level - 1, -1, -1):
                found = np.int64(rows.words[rows.starts[below] + place])
                place = place << _SHIFT | _highest_bit(found)
            return place
    return np.int64(NO_ROW)


@inner
def _highest_bit(word):
    """The position of the highest bit of a word that has one: doubles hold 32 bits exactly."""
    return math.frexp(np.float64(word))[1] - 1
