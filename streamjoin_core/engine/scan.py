"""Candidates found by looking at all of them: under a band or an inequality an arrival changes the
scores of many keys at once, so there is no order to keep up.

    score(x) = (past arrivals that would join x) * (remaining time in window, or 1) / (arrivals)
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.ageing import nothing_moves
from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.condition import (
    Condition,
    KeyCounts,
    count,
    joining,
    keys_join,
    new_counts,
)
from streamjoin_core.engine.fractions import SAFE, compare_products
from streamjoin_core.engine.joining import JoinTask, slots_needed
from streamjoin_core.engine.loop import BOTH, replay_join
from streamjoin_core.engine.memory import NONE


class Scan(NamedTuple):
    past: KeyCounts  # all arrivals so far
    joined: np.ndarray  # int64 [slot]: of them, those that would join; kept up for ranges only
    condition: Condition
    window: np.ndarray  # int64 [stream]
    weighs_remaining: bool
    is_safe: bool  # whether products of count, remaining time and arrivals stay within 62 bits


def new_scan(task: JoinTask, *, weighs_remaining: bool) -> Scan:
    join = task.join
    condition = join.rules.condition
    return Scan(
        new_counts(join.number_of_keys, condition.kind),
        np.zeros(slots_needed(task), np.int64),
        condition,
        join.rules.window,
        weighs_remaining,
        products_are_safe(task) or not weighs_remaining,
    )


def products_are_safe(task: JoinTask) -> bool:
    """Whether count * remaining * arrivals stays within 62 bits."""
    rows = len(task.join.rows.time)
    return rows * rows * int(task.join.rules.window.max()) < SAFE


@inner
def _seen(scan, memory, stream, key):
    count(scan.past, scan.condition.kind, stream, key, 1)
    slot = memory.oldest[1 - stream]
    while slot != NONE:
        if keys_join(scan.condition, stream, key, memory.key[slot]):
            scan.joined[slot] += 1
        slot = memory.newer[slot]


@inner
def _entered(scan, memory, slot):
    stream, key = memory.stream[slot], memory.key[slot]
    scan.joined[slot] = joining(scan.past, scan.condition, stream, key)


@inner
def _remaining(scan, memory, stream, since):
    return since - memory.clock[stream] + scan.window[stream] if scan.weighs_remaining else 1


@inner
def _worst(scan, memory, part):
    """Scores are multiplied by the arrivals of both streams, so that they are whole numbers."""
    best = NONE
    best_count, best_remaining = np.int64(0), np.int64(0)
    for slot in range(len(memory.row)):
        row, stream = memory.row[slot], memory.stream[slot]
        if row < 0 or (part != BOTH and stream != part):
            continue
        scaled = scan.joined[slot] * scan.past.total[stream]
        remaining = _remaining(scan, memory, stream, memory.since[slot])
        order = -1
        if best != NONE:
            order = compare_products(scaled, best_count, remaining, best_remaining, scan.is_safe)
            if order == 0:
                order = row - memory.row[best]
        if order < 0:
            best, best_count, best_remaining = slot, scaled, remaining
    return best


@inner
def _yields(scan, memory, stream, key, row, since, slot):
    """An arrival goes only for a lower score: among equals it is the later one."""
    other = memory.stream[slot]
    own = joining(scan.past, scan.condition, stream, key) * scan.past.total[stream]
    its = scan.joined[slot] * scan.past.total[other]
    own_remaining = _remaining(scan, memory, stream, since)
    its_remaining = _remaining(scan, memory, other, memory.since[slot])
    return compare_products(own, its, own_remaining, its_remaining, scan.is_safe) < 0


@entry_point
def replay_scan(run, scan):
    replay_join(run, scan, _seen, _entered, nothing_moves, _worst, _yields)
