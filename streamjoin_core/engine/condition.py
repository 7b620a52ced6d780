"""Which keys join, and counters of keys that tell how many of them join a given one.

Key ids ascend with the key values, so whatever joins a key is a range of ids, or all ids but one.
"""

import operator
from math import ceil, floor, isfinite
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import inner
from streamjoin_core.errors import InputError

EQUAL, UNEQUAL, RANGE = 0, 1, 2

COMPARISONS = ("=", "!=", "<", "<=", ">=", ">")


class Condition(NamedTuple):
    """For a key of stream s, the ids low[s, key] ≤ id < high[s, key] of the other stream join.

    The arrays are empty unless the kind is RANGE.
    """

    kind: int
    low: np.ndarray
    high: np.ndarray


class KeyCounts(NamedTuple):
    """How often each key occurs among some tuples of each stream."""

    point: np.ndarray  # int32 [stream, key]
    sums: np.ndarray  # int64 [stream, key + 1], a Fenwick tree; empty unless ranges are asked for
    total: np.ndarray  # int64 [stream]


def find_condition(
    key_values: np.ndarray, on: str = "=", band: tuple[float, float] | None = None
) -> Condition:
    """The condition `key_R on key_S`, or LO ≤ key_S - key_R ≤ HI when a band is given."""
    if on not in COMPARISONS:
        raise InputError(f"join condition {on!r} is unknown: choose {' '.join(COMPARISONS)}")
    none = np.empty((2, 0), np.int32)
    if band is None and on in ("=", "!="):
        return Condition(EQUAL if on == "=" else UNEQUAL, none, none)
    number = len(key_values)
    if band is None:
        ids = np.arange(number)
        first, last = np.zeros(number, int), np.full(number, number)
        above, from_here = (ids + 1, last), (ids, last)
        below, up_to_here = (first, ids), (first, ids + 1)
        left, right = {
            "<": (above, below),
            "<=": (from_here, up_to_here),
            ">=": (up_to_here, from_here),
            ">": (below, above),
        }[on]
    else:
        if key_values.dtype == object:
            raise InputError("a band needs keys that are numbers, but these are strings")
        low, high = band
        left = _ids_at_distance(key_values, low, high)
        right = _ids_at_distance(key_values, -high, -low)
    return Condition(
        RANGE,
        np.array([left[0], right[0]], np.int32).reshape(2, number),
        np.array([left[1], right[1]], np.int32).reshape(2, number),
    )


def _ids_at_distance(values: np.ndarray, low: float, high: float) -> tuple:
    """For each value v, the range of ids whose value w has low ≤ w - v ≤ high.

    Integers are compared as integers; doubles by their difference as rounded by the machine, as
    any program that writes `w - v <= high` would.
    """
    if values.dtype == np.int64:
        span = 2**64  # the distance of any two keys is less
        low = max(-span, ceil(low) if isfinite(low) else int(np.sign(low)) * span)
        high = min(span, floor(high) if isfinite(high) else int(np.sign(high)) * span)
        values = values.astype(object) if _may_overflow(values, low, high) else values
    first = _first_where(values, low, operator.ge)
    return first, np.maximum(first, _first_where(values, high, operator.gt))


def _may_overflow(values: np.ndarray, low: int, high: int) -> bool:
    largest = max(
        (abs(int(value)) for value in values[:1].tolist() + values[-1:].tolist()), default=0
    )
    return 2 * largest + max(abs(low), abs(high)) >= 2**63


def _first_where(values: np.ndarray, bound, compare) -> np.ndarray:
    """For each v the first id whose w has compare(w - v, bound), by one binary search for all."""
    low = np.zeros(len(values), int)
    high = np.full(len(values), len(values))
    while (low < high).any():
        middle = (low + high) // 2
        is_searching = low < high
        found = compare(values[np.minimum(middle, len(values) - 1)] - values, bound)
        found = found.astype(bool)
        high = np.where(is_searching & found, middle, high)
        low = np.where(is_searching & ~found, middle + 1, low)
    return low


def new_counts(number_of_keys: int, kind: int) -> KeyCounts:
    return KeyCounts(
        np.zeros((2, number_of_keys), np.int32),
        np.zeros((2, number_of_keys + 1 if kind == RANGE else 0), np.int64),
        np.zeros(2, np.int64),
    )


@inner
def count(counts, kind, stream, key, change):
    """Count a tuple in (change 1) or out (change -1)."""
    counts.point[stream, key] += change
    counts.total[stream] += change
    if kind == RANGE:
        position = np.int64(key) + 1
        while position < counts.sums.shape[1]:
            counts.sums[stream, position] += change
            position += position & -position


@inner
def joining(counts, condition, stream, key):
    """How many counted tuples of the other stream join a tuple of `stream` with this key."""
    other = 1 - stream
    if condition.kind == EQUAL:
        return np.int64(counts.point[other, key])
    if condition.kind == UNEQUAL:
        return counts.total[other] - counts.point[other, key]
    below_high = sum_below(counts, other, condition.high[stream, key])
    return below_high - sum_below(counts, other, condition.low[stream, key])


@inner
def sum_below(counts, stream, key):
    """How many counted tuples of a stream have an id below `key`."""
    total = np.int64(0)
    position = np.int64(key)
    while position > 0:
        total += counts.sums[stream, position]
        position -= position & -position
    return total


@inner
def keys_join(condition, stream, key, other_key):
    """Whether a tuple of `stream` joins one of the other stream."""
    if condition.kind == EQUAL:
        return key == other_key
    if condition.kind == UNEQUAL:
        return key != other_key
    return condition.low[stream, key] <= other_key < condition.high[stream, key]
