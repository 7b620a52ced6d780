"""Candidates whose score is a function of their age: a table of ranks over ages.

All tuples of a stream grow older together, but a table may go up and down, so no order among them
lasts. They are kept in blocks of neighbouring arrivals instead. The ages in a block are neighbours
too, and a second table tells the lowest rank of so many neighbouring ages: a block is looked into
only if it may hold a lower one than what was found before.
"""

from math import isqrt
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.ageing import nothing_seen
from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.loop import BOTH, replay_join
from streamjoin_core.engine.memory import NONE


class Ages(NamedTuple):
    rank: np.ndarray  # int32 [stream, place], not negative; 0 from the end of the window on
    lowest: np.ndarray  # int32 [stream, place]: of the block that starts at this place
    window: np.ndarray  # int64 [stream]: the age at which nothing is to come any more
    granularity: int  # of places
    width: int  # of blocks, in the window's clock
    last: np.ndarray  # uint32 [stream, block]: the newest slot of a block that has any


def new_ages(rank: np.ndarray, window: tuple[int, int], granularity: int) -> Ages:
    places = rank.shape[1]
    in_block = isqrt(places) + 1
    width = in_block * granularity
    # A block of arrivals may begin and end within a place.
    covered = np.pad(rank, ((0, 0), (0, in_block + 1)))
    lowest = np.lib.stride_tricks.sliding_window_view(covered, in_block + 2, axis=1).min(axis=2)
    blocks = max(window) // width + 3
    return Ages(
        rank,
        lowest,
        np.array(window, np.int64),
        granularity,
        width,
        np.full((2, blocks), NONE, np.uint32),
    )


@inner
def _rank(ages, stream, age):
    return 0 if age >= ages.window[stream] else ages.rank[stream, age // ages.granularity]


@inner
def _lowest(ages, stream, age):
    """A bound on the ranks of a block whose youngest tuple may have this age."""
    return ages.lowest[stream, min(max(age, 0) // ages.granularity, ages.rank.shape[1] - 1)]


@inner
def _entered(ages, memory, slot):
    block = memory.since[slot] // ages.width
    ages.last[memory.stream[slot], block % ages.last.shape[1]] = slot


@inner
def _left(ages, memory, slot):
    stream, block = memory.stream[slot], memory.since[slot] // ages.width
    place = block % ages.last.shape[1]
    older = memory.older[slot]
    # If the next older one is in another block, this one is empty and its place is not asked for.
    is_last = ages.last[stream, place] == slot and older != NONE
    if is_last and memory.since[older] // ages.width == block:
        ages.last[stream, place] = older


@inner
def _worst_of(ages, memory, stream):
    """The slot of the lowest rank in a stream, the oldest among equals."""
    now = memory.clock[stream]
    best, best_rank = NONE, np.int64(np.iinfo(np.int32).max)
    slot = memory.oldest[stream]
    while slot != NONE and best_rank > 0:
        block = memory.since[slot] // ages.width
        last = ages.last[stream, block % ages.last.shape[1]]
        if _lowest(ages, stream, now - (block + 1) * ages.width + 1) < best_rank:
            end = memory.newer[last]
            while slot != end:
                rank = np.int64(_rank(ages, stream, now - memory.since[slot]))
                if rank < best_rank:
                    best, best_rank = slot, rank
                slot = memory.newer[slot]
        slot = memory.newer[last]
    return best


@inner
def _rank_of(ages, memory, slot):
    stream = memory.stream[slot]
    return _rank(ages, stream, memory.clock[stream] - memory.since[slot])


@inner
def _worst(ages, memory, part):
    if part != BOTH:
        return _worst_of(ages, memory, part)
    left, right = _worst_of(ages, memory, 0), _worst_of(ages, memory, 1)
    if left == NONE or right == NONE:
        return right if left == NONE else left
    order = np.int64(_rank_of(ages, memory, left)) - np.int64(_rank_of(ages, memory, right))
    if order == 0:
        order = np.int64(memory.row[left]) - np.int64(memory.row[right])
    return left if order < 0 else right


@inner
def _yields(ages, memory, stream, key, row, since, slot):
    """An arrival goes only for a lower score: among equals it is the later one."""
    return _rank(ages, stream, memory.clock[stream] - since) < _rank_of(ages, memory, slot)


@entry_point
def replay_by_age(run, ages):
    replay_join(run, ages, nothing_seen, _entered, _left, _worst, _yields)
