"""The few who may be the lowest for a while, where nobody's priority falls faster than is known.

Priorities that change all the time need not all be computed to find the lowest. Those on the list
had the lowest bounds when it was made. Whoever is not on it has a priority of at least

    bound - fall * (now - made)         until the list's time is up,

so the lowest on the list is the lowest of all as long as it is below that. When it no longer is, a
new list is made, and if that is no good from the start, none for a while. How long lists are made
for, is learnt: twice as long when one has lasted, half as long when one was given up with most of
it still there.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import compiled, inner

FEW = 512  # are looked at one by one as fast as a list is made
FULL = 32  # lists as short as this are worth making, for most of any list will have risen soon
PAUSE = 8
_LONGEST = 1 << 40  # time that a list is made for
_NOT_MADE = np.iinfo(np.int64).min


class Shortlist(NamedTuple):
    """The lists of all memory parts."""

    slot: np.ndarray  # uint32 [part, number]
    row: np.ndarray  # int32 [part, number]: in the slot when it came on the list
    bound: np.ndarray  # float64 [part, number], while the list is made
    size: np.ndarray  # int64 [part]: how many are on the list
    few: int  # of so many or fewer, no list is made
    full: int  # size of a list when it has been made
    pause: int  # times that the lowest is asked for without a new list, after one that was no good
    made: np.ndarray  # int64 [part]: when
    until: np.ndarray  # int64 [part]: the last time that it is good for
    reach: np.ndarray  # int64 [part]: how long lists are made for
    rest: np.ndarray  # int64 [part]: how often to do without
    fall: np.ndarray  # float64 [part]: per unit of time, of the bound of all others
    others: np.ndarray  # float64 [part]: the bound of all others
    last_row: np.ndarray  # int64 [part]: others whose bound is just that are of later rows


class Heap(NamedTuple):
    """A list while it is made: the highest by bound and row stands first."""

    bound: np.ndarray
    row: np.ndarray
    slot: np.ndarray


def new_shortlist(parts: int) -> Shortlist:
    shape = (parts, 2 * FULL)
    return Shortlist(
        slot=np.zeros(shape, np.uint32),
        row=np.zeros(shape, np.int32),
        bound=np.zeros(shape),
        size=np.zeros(parts, np.int64),
        few=FEW,
        full=FULL,
        pause=PAUSE,
        made=np.zeros(parts, np.int64),
        until=np.full(parts, _NOT_MADE),
        reach=np.ones(parts, np.int64),
        rest=np.zeros(parts, np.int64),
        fall=np.zeros(parts),
        others=np.zeros(parts),
        last_row=np.zeros(parts, np.int64),
    )


@inner
def forget(shortlist, part):
    shortlist.until[part] = _NOT_MADE


@compiled
def start(shortlist, part, now):
    """Begin a list; returns the last time that it will be good for."""
    reach = shortlist.reach
    if shortlist.until[part] != _NOT_MADE:
        if now > shortlist.until[part]:
            reach[part] = min(2 * reach[part], _LONGEST)
        elif 2 * shortlist.size[part] > shortlist.full:
            reach[part] = max(1, reach[part] // 2)
    shortlist.size[part] = 0
    shortlist.made[part] = now
    shortlist.until[part] = now + reach[part]
    return shortlist.until[part]


@compiled
def choose(shortlist, part, slots, bounds, rows, fall):
    """Put those of the lowest bounds on the list; infinite ones are nobody's."""
    heap = Heap(shortlist.bound[part], shortlist.row[part], shortlist.slot[part])
    highest, size, full = np.inf, 0, shortlist.full
    for place in range(len(bounds)):
        this = bounds[place]
        if this == np.inf or this > highest:
            continue
        slot = slots[place]
        if size < full:
            size += 1
            _rise(heap, size - 1, this, rows[slot], slot)
        elif this < highest or rows[slot] < heap.row[0]:
            _sink(heap, size, this, rows[slot], slot)
        if size == full:
            highest = heap.bound[0]
    shortlist.size[part] = size
    shortlist.fall[part] = fall
    shortlist.others[part] = highest
    shortlist.last_row[part] = heap.row[0]


@inner
def _rise(heap, place, bound, row, slot):
    while place > 0:
        parent = (place - 1) // 2
        if _is_above(heap, parent, bound, row):
            break
        _set(heap, place, heap.bound[parent], heap.row[parent], heap.slot[parent])
        place = parent
    _set(heap, place, bound, row, slot)


@inner
def _sink(heap, size, bound, row, slot):
    """Take the place of the highest."""
    place = 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and _is_above(heap, child + 1, heap.bound[child], heap.row[child]):
            child += 1
        if not _is_above(heap, child, bound, row):
            break
        _set(heap, place, heap.bound[child], heap.row[child], heap.slot[child])
        place = child
    _set(heap, place, bound, row, slot)


@inner
def _is_above(heap, place, bound, row):
    its = heap.bound[place]
    return its > bound or (its == bound and heap.row[place] > row)


@inner
def _set(heap, place, bound, row, slot):
    heap.bound[place] = bound
    heap.row[place] = row
    heap.slot[place] = slot


@inner
def add(shortlist, part, slot, row):
    """One more who may be the lowest."""
    size = shortlist.size[part]
    if size == shortlist.slot.shape[1]:
        forget(shortlist, part)
    else:
        shortlist.slot[part, size], shortlist.row[part, size] = slot, row
        shortlist.size[part] += 1
