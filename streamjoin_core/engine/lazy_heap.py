"""Who has the lowest priority, where priorities only grow: a heap that catches up when asked.

Priorities change at every reference, but the lowest is asked for at evictions only. So a change is
one store into `priority`, and the heap keeps what each priority was when it last looked: a lower
bound, good enough to see that somebody else is lower. Only a root that is about to leave must be up
to date; every update of an outdated root is paid for by a reference since the last one.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import compiled, inner

SCORE_SHIFT = 32


class LazyHeap(NamedTuple):
    priority: np.ndarray  # int64 [key]: as it is now; no two are equal
    bound: np.ndarray  # int64 [place]: as it was, in heap order
    key: np.ndarray  # uint32 [place]
    used: np.ndarray  # int64 [1]: places filled


def new_heap(priority: np.ndarray, capacity: int) -> LazyHeap:
    return LazyHeap(
        priority,
        np.empty(capacity, np.int64),
        np.empty(capacity, np.uint32),
        np.zeros(1, np.int64),
    )


@inner
def priority_of(score, row):
    """A score below 2**31 with the row of the last reference, which decides among equal scores."""
    return np.int64(score) << SCORE_SHIFT | np.int64(row)


@inner
def score_of(priority):
    return priority >> SCORE_SHIFT


@inner
def enter(heap, key, row):
    """Hook of the caching loop: a key is put into the heap."""
    priority = heap.priority[key]
    place = heap.used[0]
    heap.used[0] += 1
    while place > 0 and heap.bound[(place - 1) // 2] > priority:
        parent = (place - 1) // 2
        heap.bound[place], heap.key[place] = heap.bound[parent], heap.key[parent]
        place = parent
    heap.bound[place], heap.key[place] = priority, key


@inner
def replace(heap, key, row):
    """Hook of the caching loop: the lowest of a full heap and this key goes."""
    priority = heap.priority[key]
    while heap.bound[0] < priority:
        lowest = heap.key[0]
        if heap.priority[lowest] == heap.bound[0]:
            _replace_root(heap, key, priority)
            return lowest
        _replace_root(heap, lowest, heap.priority[lowest])
    return key


@compiled
def _replace_root(heap, key, priority):
    """Let the root go and find the place of this key from there downwards."""
    bound, last = heap.bound, len(heap.bound) - 1
    place = 0
    while 2 * place < last:
        child = 2 * place + 1
        if child < last and bound[child + 1] < bound[child]:
            child += 1
        if bound[child] > priority:
            break
        bound[place], heap.key[place] = bound[child], heap.key[child]
        place = child
    bound[place], heap.key[place] = priority, key
