"""Partitions of even weight: heavy keys are placed one by one, all others by their hash.

A key's weight is its number of rows, and heavy is whoever has more than 1 / (16 P) of all rows of
P partitions. From the heaviest on (among equals the smaller key first), each goes to the partition
with the least weight so far (among equals the first); weights start with those of the other keys,
which stay where their hash puts them.
"""

from collections.abc import Iterable

import numpy as np

from streamjoin_core.partitions.partitioning import Partitioning
from streamjoin_core.trace.trace import Trace

_PIECES = 16  # a heavy key fills more than one such piece of a partition


def is_heavy(weights: np.ndarray, total: int, partitions: int) -> np.ndarray:
    """Which of the keys with these numbers of rows are heavy, for so many rows in all."""
    return weights * (_PIECES * partitions) > total


def balanced(trace: Trace, partitions: int) -> Partitioning:
    """The partitioning of even weight for a trace."""
    weights = np.bincount(trace.key, minlength=len(trace.key_values))
    heavy = is_heavy(weights, len(trace), partitions)
    light = Partitioning(partitions).places(trace.key_values[~heavy])
    loads = np.bincount(light, weights[~heavy], minlength=partitions)
    keys, counts = trace.key_values[heavy].tolist(), weights[heavy].tolist()
    return pack(zip(keys, counts, strict=True), loads)


def pack(heavy: Iterable[tuple], loads: np.ndarray) -> Partitioning:
    """Place heavy keys, given with their weights, on partitions that hold so much already."""
    held = [int(load) for load in loads]
    moved = {}
    for key, weight in sorted(heavy, key=lambda entry: (-entry[1], entry[0])):
        lightest = held.index(min(held))
        moved[key] = lightest
        held[lightest] += weight
    return Partitioning(len(held), moved)
