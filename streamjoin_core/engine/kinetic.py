"""A kinetic tournament: the lowest of many lines that fall with time, as time goes on.

Each stream has one line per key that it has in memory:

    height(t) = count * (end - t)

with `count` the key's past frequency in the other stream and `end` the end of the window of the
key's oldest tuple. A node of the tree knows the lowest line below it and the earliest time at which
that may change: when the other child's winner, falling faster, catches up. So a moment's winner is
found by redoing only the nodes whose time has come. All comparisons are exact; the times may be
early, which costs a look and nothing else.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.fractions import compare_products
from streamjoin_core.engine.joining import JoinTask, slots_needed
from streamjoin_core.engine.loop import BOTH, replay_join
from streamjoin_core.engine.memory import NONE
from streamjoin_core.engine.scan import products_are_safe

_NEVER = np.iinfo(np.int64).max
_EARLY = 1 - 1e-12  # quotients of large numbers are rounded by up to 1e-16 of themselves


class Lines(NamedTuple):
    past: np.ndarray  # int32 [stream, key]: arrivals so far
    arrivals: np.ndarray  # int64 [stream]
    window: np.ndarray  # int64 [stream]
    is_safe: bool  # whether products of count, remaining time and arrivals stay within 62 bits
    leaf: np.ndarray  # uint32 [stream, key]: where the key's line stands, or NONE
    key: np.ndarray  # uint32 [stream, leaf]
    count: np.ndarray  # int64 [stream, leaf]
    end: np.ndarray  # int64 [stream, leaf]
    row: np.ndarray  # int64 [stream, leaf]: of the key's oldest tuple
    free: np.ndarray  # uint32 [stream, leaf]: a stack of free leaves
    free_leaves: np.ndarray  # int64 [stream]: its height
    winner: np.ndarray  # uint32 [stream, node]: a leaf, or NONE
    until: np.ndarray  # int64 [stream, node]: when to look again
    due: np.ndarray  # int32: nodes to redo


def new_lines(task: JoinTask) -> Lines:
    number_of_keys = task.join.number_of_keys
    width = 1 << (max(1, min(slots_needed(task), number_of_keys)) - 1).bit_length()
    return Lines(
        past=np.zeros((2, number_of_keys), np.int32),
        arrivals=np.zeros(2, np.int64),
        window=task.join.rules.window,
        is_safe=products_are_safe(task),
        leaf=np.full((2, number_of_keys), NONE, np.uint32),
        key=np.zeros((2, width), np.uint32),
        count=np.zeros((2, width), np.int64),
        end=np.zeros((2, width), np.int64),
        row=np.zeros((2, width), np.int64),
        free=np.tile(np.arange(width - 1, -1, -1, dtype=np.uint32), (2, 1)),
        free_leaves=np.full(2, width, np.int64),
        winner=np.full((2, 2 * width), NONE, np.uint32),
        until=np.full((2, 2 * width), _NEVER, np.int64),
        due=np.zeros(2 * width, np.int32),
    )


@inner
def _redo(lines, stream, node, now):
    """Find a node's winner from its children's, and until when it is sure to stay."""
    left, right = lines.winner[stream, 2 * node], lines.winner[stream, 2 * node + 1]
    until = min(lines.until[stream, 2 * node], lines.until[stream, 2 * node + 1])
    if left == NONE or right == NONE:
        lines.winner[stream, node] = right if left == NONE else left
        lines.until[stream, node] = until
        return
    left_count, right_count = lines.count[stream, left], lines.count[stream, right]
    left_rest, right_rest = lines.end[stream, left] - now, lines.end[stream, right] - now
    order = compare_products(left_count, right_count, left_rest, right_rest, lines.is_safe)
    if order == 0:
        order = lines.row[stream, left] - lines.row[stream, right]
    gap = 0
    faster = right_count - left_count
    if lines.is_safe:
        gap = abs(left_count * left_rest - right_count * right_rest)
    if order > 0:
        faster = -faster
    lines.winner[stream, node] = left if order < 0 else right
    if faster > 0:
        # A whole quotient is early by up to one, which makes up for its being rounded.
        until = min(until, now + max(1, np.int64(gap / faster * _EARLY)))
    lines.until[stream, node] = until


@inner
def _update(lines, stream, leaf, now):
    """A line has changed: redo the nodes above it until nothing changes any more."""
    node = (lines.winner.shape[1] >> 1) + leaf
    while node > 1:
        node >>= 1
        winner, until = lines.winner[stream, node], lines.until[stream, node]
        _redo(lines, stream, node, now)
        if (
            lines.winner[stream, node] == winner
            and winner != leaf
            and lines.until[stream, node] == until
        ):
            break


@inner
def _advance(lines, stream, now):
    """Redo the nodes whose time has come, children before parents."""
    if lines.until[stream, 1] > now:
        return
    lines.due[0] = 1
    number, at = 1, 0
    width = lines.winner.shape[1] >> 1
    while at < number:
        child = 2 * lines.due[at]
        if child < width:
            for node in range(child, child + 2):
                if lines.until[stream, node] <= now:
                    lines.due[number] = node
                    number += 1
        at += 1
    while number > 0:
        number -= 1
        _redo(lines, stream, lines.due[number], now)


@inner
def _set_line(lines, memory, stream, leaf, slot):
    """The line of a key whose oldest tuple is in `slot`."""
    lines.end[stream, leaf] = memory.since[slot] + lines.window[stream]
    lines.row[stream, leaf] = memory.row[slot]
    _update(lines, stream, leaf, memory.clock[stream])


@inner
def _seen(lines, memory, stream, key):
    lines.arrivals[stream] += 1
    lines.past[stream, key] += 1
    other = 1 - stream
    leaf = lines.leaf[other, key]
    if leaf != NONE:
        lines.count[other, leaf] += 1
        _update(lines, other, leaf, memory.clock[other])


@inner
def _entered(lines, memory, slot):
    stream, key = memory.stream[slot], memory.key[slot]
    if lines.leaf[stream, key] == NONE:
        lines.free_leaves[stream] -= 1
        leaf = lines.free[stream, lines.free_leaves[stream]]
        lines.leaf[stream, key] = leaf
        lines.key[stream, leaf] = key
        lines.count[stream, leaf] = lines.past[1 - stream, key]
        lines.winner[stream, (lines.winner.shape[1] >> 1) + leaf] = leaf
        _set_line(lines, memory, stream, leaf, slot)


@inner
def _left(lines, memory, slot):
    stream, key = memory.stream[slot], memory.key[slot]
    if memory.first[stream, key] != slot:
        return
    leaf = lines.leaf[stream, key]
    heir = memory.after[slot]
    if heir != NONE:
        _set_line(lines, memory, stream, leaf, heir)
        return
    lines.leaf[stream, key] = NONE
    lines.free[stream, lines.free_leaves[stream]] = leaf
    lines.free_leaves[stream] += 1
    lines.winner[stream, (lines.winner.shape[1] >> 1) + leaf] = NONE
    _update(lines, stream, leaf, memory.clock[stream])


@inner
def _compare(lines, memory, stream, count, rest, other, other_count, other_rest):
    """Compare scores of two streams, which are out of different numbers of arrivals."""
    scaled = count * lines.arrivals[stream]
    other_scaled = other_count * lines.arrivals[other]
    return compare_products(scaled, other_scaled, rest, other_rest, lines.is_safe)


@inner
def _worst(lines, memory, part):
    stream = part
    if part == BOTH:
        _advance(lines, 0, memory.clock[0])
        _advance(lines, 1, memory.clock[1])
        left, right = lines.winner[0, 1], lines.winner[1, 1]
        stream = 0 if right == NONE else 1
        if left != NONE and right != NONE:
            left_rest = lines.end[0, left] - memory.clock[0]
            right_rest = lines.end[1, right] - memory.clock[1]
            order = _compare(
                lines,
                memory,
                0,
                lines.count[0, left],
                left_rest,
                1,
                lines.count[1, right],
                right_rest,
            )
            if order == 0:
                order = lines.row[0, left] - lines.row[1, right]
            stream = 0 if order < 0 else 1
    else:
        _advance(lines, part, memory.clock[part])
    return memory.first[stream, lines.key[stream, lines.winner[stream, 1]]]


@inner
def _yields(lines, memory, stream, key, row, since, slot):
    """An arrival goes only for a lower score: among equals it is the later one."""
    other, other_key = memory.stream[slot], memory.key[slot]
    count = np.int64(lines.past[1 - stream, key])
    other_count = np.int64(lines.past[1 - other, other_key])
    rest = since + lines.window[stream] - memory.clock[stream]
    other_rest = memory.since[slot] + lines.window[other] - memory.clock[other]
    return _compare(lines, memory, stream, count, rest, other, other_count, other_rest) < 0


@entry_point
def replay_lines(run, lines):
    replay_join(run, lines, _seen, _entered, _left, _worst, _yields)
