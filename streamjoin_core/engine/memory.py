"""The join's memory: slots that hold tuples, in order of age and, where wanted, by key."""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import inner
from streamjoin_core.engine.condition import KeyCounts, new_counts

# Slots have no sign: compiled code then has no negative index to think of.
NONE = np.uint32(0xFFFFFFFF)


class Memory(NamedTuple):
    """Arrays per slot, and the lists that run through them.

    Two kinds of doubly linked lists, each in order of arrival: all tuples of a stream, and (if
    `keeps_keys`) those of a stream with one key. The place after the last slot of `newer` and
    `older` would be needed by nobody: ends are NONE.
    """

    row: np.ndarray  # int32 [slot], -1 in a free one
    key: np.ndarray  # uint32 [slot]
    stream: np.ndarray  # uint8 [slot]
    since: np.ndarray  # int64 [slot]: arrival in the window's clock (time, or number in its stream)
    met: np.ndarray  # int32 [slot]: joining arrivals of the other stream before it could meet any
    matches: np.ndarray  # int32 [slot]: results so far, if they are counted
    older: np.ndarray  # uint32 [slot]
    newer: np.ndarray  # uint32 [slot]
    oldest: np.ndarray  # uint32 [stream]
    newest: np.ndarray  # uint32 [stream]
    before: np.ndarray  # uint32 [slot]: older one of the same key
    after: np.ndarray  # uint32 [slot]
    first: np.ndarray  # uint32 [stream, key]: oldest of the key
    last: np.ndarray  # uint32 [stream, key]
    free: np.ndarray  # uint32: a stack of free slots
    used: np.ndarray  # int64: slots used by left, by right, and the number of free ones
    clock: np.ndarray  # int64 [stream]: now, in the window's clock
    now: np.ndarray  # int64 [1]: the time of the present step
    visible: KeyCounts  # tuples that arrivals can meet
    keeps_keys: bool


def new_memory(slots: int, number_of_keys: int, kind: int, keeps_keys: bool) -> Memory:
    keyed_slots, keys = (slots, number_of_keys) if keeps_keys else (0, 0)
    return Memory(
        row=np.full(slots, -1, np.int32),
        key=np.zeros(slots, np.uint32),
        stream=np.zeros(slots, np.uint8),
        since=np.zeros(slots, np.int64),
        met=np.zeros(slots, np.int32),
        matches=np.zeros(slots, np.int32),
        older=np.zeros(slots, np.uint32),
        newer=np.zeros(slots, np.uint32),
        oldest=np.full(2, NONE, np.uint32),
        newest=np.full(2, NONE, np.uint32),
        before=np.zeros(keyed_slots, np.uint32),
        after=np.zeros(keyed_slots, np.uint32),
        first=np.full((2, keys), NONE, np.uint32),
        last=np.full((2, keys), NONE, np.uint32),
        free=np.arange(slots - 1, -1, -1, dtype=np.uint32),
        used=np.array([0, 0, slots], np.int64),
        clock=np.zeros(2, np.int64),
        now=np.zeros(1, np.int64),
        visible=new_counts(number_of_keys, kind),
        keeps_keys=keeps_keys,
    )


@inner
def put(memory, row, stream, key, since):
    """Store a tuple; returns its slot."""
    memory.used[2] -= 1
    memory.used[stream] += 1
    slot = memory.free[memory.used[2]]
    memory.row[slot] = row
    memory.key[slot] = key
    memory.stream[slot] = stream
    memory.since[slot] = since
    newest = memory.newest[stream]
    memory.older[slot] = newest
    memory.newer[slot] = NONE
    memory.newest[stream] = slot
    if newest == NONE:
        memory.oldest[stream] = slot
    else:
        memory.newer[newest] = slot
    if memory.keeps_keys:
        last = memory.last[stream, key]
        memory.before[slot] = last
        memory.after[slot] = NONE
        memory.last[stream, key] = slot
        if last == NONE:
            memory.first[stream, key] = slot
        else:
            memory.after[last] = slot
    return slot


@inner
def take(memory, slot):
    """Free a slot."""
    stream, key = memory.stream[slot], memory.key[slot]
    older, newer = memory.older[slot], memory.newer[slot]
    if older == NONE:
        memory.oldest[stream] = newer
    else:
        memory.newer[older] = newer
    if newer == NONE:
        memory.newest[stream] = older
    else:
        memory.older[newer] = older
    if memory.keeps_keys:
        before, after = memory.before[slot], memory.after[slot]
        if before == NONE:
            memory.first[stream, key] = after
        else:
            memory.after[before] = after
        if after == NONE:
            memory.last[stream, key] = before
        else:
            memory.before[after] = before
    memory.row[slot] = -1
    memory.free[memory.used[2]] = slot
    memory.used[2] += 1
    memory.used[stream] -= 1
