"""The largest row so far of any key that joins a given one: a tree over the keys of each stream."""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import inner
from streamjoin_core.engine.condition import EQUAL, UNEQUAL

NOBODY = -1


class Latest(NamedTuple):
    rows: np.ndarray  # int64 [stream, node]: leaves are keys; inner nodes only if ranges are asked


def new_latest(number_of_keys: int, kind: int) -> Latest:
    width = number_of_keys if kind == EQUAL else 2 << max(0, number_of_keys - 1).bit_length()
    return Latest(np.full((2, max(1, width)), NOBODY, np.int64))


@inner
def note(latest, kind, stream, key, row):
    """A row that is larger than all before."""
    if kind == EQUAL:
        latest.rows[stream, key] = row
        return
    node = np.int64(key) + (latest.rows.shape[1] >> 1)
    while node > 0:
        latest.rows[stream, node] = row
        node >>= 1


@inner
def latest_joining(latest, condition, stream, key):
    """The largest row of the other stream that joins a tuple of `stream` with this key."""
    other, key = 1 - stream, np.int64(key)
    if condition.kind == EQUAL:
        return latest.rows[other, key]
    if condition.kind == UNEQUAL:
        width = np.int64(latest.rows.shape[1] >> 1)
        return max(_largest(latest, other, 0, key), _largest(latest, other, key + 1, width))
    low, high = condition.low[stream, key], condition.high[stream, key]
    return _largest(latest, other, np.int64(low), np.int64(high))


@inner
def _largest(latest, stream, low, high):
    """The largest row of the keys low <= key < high."""
    width = np.int64(latest.rows.shape[1] >> 1)
    low, high = low + width, high + width
    largest = np.int64(NOBODY)
    while low < high:
        if low & 1:
            largest = max(largest, latest.rows[stream, low])
            low += 1
        if high & 1:
            high -= 1
            largest = max(largest, latest.rows[stream, high])
        low >>= 1
        high >>= 1
    return largest
