"""The one replay loop of the joining problem: it matches, expires, limits and counts.

A policy only says who leaves, through compiled functions that the loop takes as arguments:

    seen(state, memory, stream, key)          an arrival, kept or not, before anyone is scored
    entered(state, memory, slot)              a candidate was put into a slot
    left(state, memory, slot)                 a candidate is about to be taken out of its slot
    worst(state, memory, part)                the slot to leave next; part is a stream, or BOTH
    yields(state, memory, stream, key, row, since, slot)
                                              whether an arrival itself goes rather than that slot

`yields` serves policies that rank candidates: then one arrival after the other finds its place.
Policies that draw instead rank nobody, so all arrivals enter before anyone leaves (`ranks` False).
The loop is inlined into each policy's own entry point, whose machine code is cached on disk.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import inlined, inner
from streamjoin_core.engine.condition import EQUAL, KeyCounts, count, joining, keys_join
from streamjoin_core.engine.memory import NONE, put, take
from streamjoin_core.engine.rules import combine, step_end

BOTH = 2

# How a tuple left. LEAVES is the policy's own time-to-live or join-to-live inside the window.
CACHED, DROPPED, EVICTED, EXPIRED, LEAVES = range(5)
NUMBER, TOTAL, SQUARES = range(3)


class Limits(NamedTuple):
    """What the memory may hold, and how long."""

    size: np.ndarray  # int64 [part]: left, right, both; a part that is not limited by itself: -1
    time_to_live: np.ndarray  # int64 [stream], in time
    join_to_live: int  # matches after which a tuple leaves; 0 for never
    ranks: bool  # whether candidates are ranked, or drawn


class Outcome(NamedTuple):
    """Counters that the loop fills."""

    results: np.ndarray  # int64 [group]: pairs produced
    importance: np.ndarray  # float64 [group]: their importance
    ways: np.ndarray  # int64 [way]: how many left in each way
    lost: np.ndarray  # int64 [way]: results that their leaving cost
    lives: np.ndarray  # float64 [group, 3]: NUMBER, TOTAL and SQUARES of known lifetimes
    left_slots: np.ndarray  # int64 [slots used]: sum of the left stream's over steps
    steps: np.ndarray  # int64 [slots used]: number of steps that ended with so many
    way: np.ndarray  # uint8 [row]: how each left; empty unless asked for
    leaving: np.ndarray  # int64 [row]: when; empty unless asked for
    met: KeyCounts  # counted arrivals so far
    ordinal: np.ndarray  # int64 [stream]: number of the next arrival to find its place
    own: np.ndarray  # int32: matches of this step's arrivals
    slots: np.ndarray  # int32: slots of this step's arrivals
    done: np.ndarray  # int32: slots that have matched often enough, number first


@inner
def _depart(rows, outcome, row, way, now, lost):
    """Note that a tuple leaves, or never entered."""
    outcome.ways[way] += 1
    outcome.lost[way] += lost
    group = rows.group[row] if len(rows.group) else 0
    outcome.lives[group, NUMBER] += 1
    if way != DROPPED:
        life = float(now - rows.time[row])
        outcome.lives[group, TOTAL] += life
        outcome.lives[group, SQUARES] += life * life
    if len(outcome.way):
        outcome.way[row] = way
        outcome.leaving[row] = now


@inner
def _remove(rows, rules, future, memory, outcome, state, left, slot, way, now, start):
    """Take a tuple out of memory; what it still had to wait for is lost."""
    row = memory.row[slot]
    stream, key = memory.stream[slot], memory.key[slot]
    lost = np.int64(future[row])
    is_visible = row < start or not rules.evict_first
    if is_visible:
        lost -= joining(outcome.met, rules.condition, stream, key) - memory.met[slot]
        count(memory.visible, rules.condition.kind, stream, key, -1)
    left(state, memory, slot)
    take(memory, slot)
    _depart(rows, outcome, row, way, now, lost)


@inner
def _partners(rows, rules, memory, outcome, limits, row, start):
    """Walk over the visible partners of an arrival; returns their pairs' total importance."""
    stream, key = rows.stream[row], rows.key[row]
    other = 1 - stream
    is_equality = rules.condition.kind == EQUAL
    slot = memory.first[other, key] if is_equality else memory.oldest[other]
    total = 0.0
    while slot != NONE and memory.row[slot] < start:
        if is_equality or keys_join(rules.condition, stream, key, memory.key[slot]):
            if len(rows.importance):
                weight = rows.importance[memory.row[slot]]
                total += combine(rules.combination, weight, rows.importance[row])
            if limits.join_to_live > 0:
                memory.matches[slot] += 1
                if memory.matches[slot] == limits.join_to_live:
                    outcome.done[0] += 1
                    outcome.done[outcome.done[0]] = slot
        slot = memory.after[slot] if is_equality else memory.newer[slot]
    return total


@inner
def _probe(rows, rules, memory, outcome, limits, row, start):
    """Join an arrival with what is visible; returns the number of results."""
    stream, key = rows.stream[row], rows.key[row]
    results = joining(memory.visible, rules.condition, stream, key)
    if results > 0:
        importance = 0.0
        if len(rows.importance) or limits.join_to_live > 0:
            importance = _partners(rows, rules, memory, outcome, limits, row, start)
        if row >= rules.first_counted:
            group = rows.group[row] if len(rows.group) else 0
            outcome.results[group] += results
            outcome.importance[group] += importance
    return results


@inner
def _show(rows, rules, memory, outcome, slot):
    """From now on a tuple in memory can be met."""
    stream, key = memory.stream[slot], memory.key[slot]
    memory.met[slot] = joining(outcome.met, rules.condition, stream, key)
    count(memory.visible, rules.condition.kind, stream, key, 1)


@inlined
def replay_join(
    rows, rules, limits, future, memory, outcome, state, seen, entered, left, worst, yields
):
    """Replay all rows; `state` is the policy's own."""
    n = len(rows.time)
    size = limits.size
    is_shared = size[BOTH] >= 0
    ordinal = outcome.ordinal
    memory.clock[0] = -1
    memory.clock[1] = -1
    start = 0
    while start < n:
        now = rows.time[start]
        end = step_end(rows.time, start)
        if not rules.by_tuples:
            memory.clock[0] = now
            memory.clock[1] = now

        for stream in range(2):
            # A window of tuples moves on when the next one arrives.
            clock = memory.clock[stream] + rules.by_tuples
            slot = memory.oldest[stream]
            while slot != NONE:
                is_out = clock - memory.since[slot] > rules.window[stream]
                if not is_out and now - rows.time[memory.row[slot]] <= limits.time_to_live[stream]:
                    break
                way = EXPIRED if is_out else LEAVES
                _remove(rows, rules, future, memory, outcome, state, left, slot, way, now, start)
                slot = memory.oldest[stream]

        outcome.done[0] = 0
        is_counted = start >= rules.first_counted
        for row in range(start, end):
            stream, key = rows.stream[row], rows.key[row]
            if not rules.evict_first:
                results = _probe(rows, rules, memory, outcome, limits, row, start)
                if limits.join_to_live > 0:
                    outcome.own[row - start] = results
                if is_counted:
                    count(outcome.met, rules.condition.kind, stream, key, 1)
            if rules.by_tuples:
                memory.clock[stream] += 1
            seen(state, memory, stream, key)
        if limits.join_to_live > 0:
            for done in range(1, outcome.done[0] + 1):
                slot = outcome.done[done]
                _remove(rows, rules, future, memory, outcome, state, left, slot, LEAVES, now, start)

        for row in range(start, end):
            stream, key = rows.stream[row], rows.key[row]
            since = ordinal[stream] if rules.by_tuples else now
            ordinal[stream] += 1
            joins_to_live = limits.join_to_live > 0 and not rules.evict_first
            if joins_to_live and outcome.own[row - start] >= limits.join_to_live:
                _depart(rows, outcome, row, LEAVES, now, np.int64(future[row]))
                continue
            if rules.evict_first:
                outcome.slots[row - start] = NONE
            if limits.ranks:
                part = BOTH if is_shared else np.int64(stream)
                used = memory.used[0] + memory.used[1] if is_shared else memory.used[part]
                if used == size[part]:
                    is_dropped = used == 0
                    if not is_dropped:
                        slot = worst(state, memory, part)
                        is_dropped = yields(state, memory, stream, key, row, since, slot)
                    if is_dropped:
                        _depart(rows, outcome, row, DROPPED, now, np.int64(future[row]))
                        continue
                    way = DROPPED if memory.row[slot] >= start else EVICTED
                    _remove(
                        rows, rules, future, memory, outcome, state, left, slot, way, now, start
                    )
            slot = put(memory, row, stream, key, since)
            if rules.evict_first:
                outcome.slots[row - start] = slot
            else:
                _show(rows, rules, memory, outcome, slot)
                if limits.join_to_live > 0:
                    memory.matches[slot] = outcome.own[row - start]
            entered(state, memory, slot)

        if not limits.ranks:
            for part in range(3):
                if size[part] >= 0:
                    used = memory.used[0] + memory.used[1] if part == BOTH else memory.used[part]
                    while used > size[part]:
                        slot = worst(state, memory, part)
                        way = DROPPED if memory.row[slot] >= start else EVICTED
                        _remove(
                            rows, rules, future, memory, outcome, state, left, slot, way, now, start
                        )
                        used -= 1

        used = memory.used[0] + memory.used[1]
        outcome.left_slots[used] += memory.used[0]
        outcome.steps[used] += 1

        if rules.evict_first:
            outcome.done[0] = 0
            if is_counted:
                for row in range(start, end):
                    count(outcome.met, rules.condition.kind, rows.stream[row], rows.key[row], 1)
            for row in range(start, end):
                slot = outcome.slots[row - start]
                if slot != NONE and memory.row[slot] == row:
                    results = _probe(rows, rules, memory, outcome, limits, row, start)
                    memory.matches[slot] = results
                elif is_counted:
                    # Nobody else will miss these: the partners stay in memory.
                    stream, key = rows.stream[row], rows.key[row]
                    outcome.lost[DROPPED] += joining(memory.visible, rules.condition, stream, key)
            for row in range(start, end):
                slot = outcome.slots[row - start]
                if slot != NONE and memory.row[slot] == row:
                    _show(rows, rules, memory, outcome, slot)
                    if limits.join_to_live > 0 and memory.matches[slot] >= limits.join_to_live:
                        outcome.done[0] += 1
                        outcome.done[outcome.done[0]] = slot
            for done in range(1, outcome.done[0] + 1):
                slot = outcome.done[done]
                _remove(rows, rules, future, memory, outcome, state, left, slot, LEAVES, now, end)
        start = end
