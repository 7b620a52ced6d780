"""A queue of keys in a ring: first in, first out."""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import inner

_FIRST, _NUMBER = 0, 1


class KeyQueue(NamedTuple):
    ring: np.ndarray  # uint32
    ends: np.ndarray  # int64: place of the first key, number of keys


def new_queue(capacity: int) -> KeyQueue:
    return KeyQueue(np.empty(capacity, np.uint32), np.zeros(2, np.int64))


@inner
def is_empty(queue):
    return queue.ends[_NUMBER] == 0


@inner
def push(queue, key):
    """Append a key; there must be room."""
    place = queue.ends[_FIRST] + queue.ends[_NUMBER]
    if place >= len(queue.ring):
        place -= len(queue.ring)
    queue.ring[place] = key
    queue.ends[_NUMBER] += 1


@inner
def pop(queue):
    """Take the first key out."""
    place = queue.ends[_FIRST]
    queue.ends[_FIRST] = place + 1 if place + 1 < len(queue.ring) else 0
    queue.ends[_NUMBER] -= 1
    return queue.ring[place]
