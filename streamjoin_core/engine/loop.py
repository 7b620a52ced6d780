"""The one replay loop of the joining problem: it matches, expires, limits and counts.

A policy only says who leaves, through compiled functions that the loop takes as arguments:

    seen(state, memory, stream, key)          an arrival, kept or not, before anyone is scored
    entered(state, memory, slot)              a candidate was put into a slot
    left(state, memory, slot)                 a candidate is about to be taken out of its slot
    worst(state, memory, part)                the slot to leave next; part is a stream, or BOTH
    yields(state, memory, stream, key, row, since, slot)
                                              whether an arrival itself goes rather than that slot
    matched(state, memory, slot, own, importance)
                                              a tuple in memory gave a result with an arrival, whose
                                              own slot is NONE as long as it has none; only if the
                                              matches are counted (`counts_matches`)

`yields` serves policies that rank candidates: then one arrival after the other finds its place.
Policies that draw instead rank nobody, so all arrivals enter before anyone leaves (`ranks` False).
The loop is inlined into each policy's own entry point, whose machine code is cached on disk.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import inlined, inner
from streamjoin_core.engine.condition import EQUAL, KeyCounts, count, joining, keys_join
from streamjoin_core.engine.memory import NONE, Memory, put, take
from streamjoin_core.engine.rules import Rows, Rules, group_of, pair_importance, step_end
from streamjoin_core.engine.ways import CACHED, DROPPED, EVICTED, EXPIRED, LEAVES, SATED, SHED
from streamjoin_core.engine.work import Work, earn
from streamjoin_core.engine.working import enter, note_done, way_in, work_through

BOTH = 2

NUMBER, TOTAL, SQUARES = range(3)


class Limits(NamedTuple):
    """What the memory may hold, and how long."""

    size: np.ndarray  # int64 [part]: left, right, both; a part that is not limited by itself: -1
    time_to_live: np.ndarray  # int64 [stream], in time
    join_to_live: int  # matches after which a tuple leaves; 0 for never
    counts_matches: bool  # whether each tuple's matches are counted, and told to the policy
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
    rival: np.ndarray  # int32 [row]: the row that stayed in its place, or -1; likewise


class Scratch(NamedTuple):
    """What the loop itself keeps in mind."""

    met: KeyCounts  # counted arrivals so far
    ordinal: np.ndarray  # int64 [stream]: number of the next arrival to find its place
    own: np.ndarray  # int32: matches of this step's arrivals
    slots: np.ndarray  # uint32: slots of this step's arrivals
    done: np.ndarray  # uint32: slots that have matched often enough, their number first


class Run(NamedTuple):
    """All that one replay works on, but for the policy's own state."""

    rows: Rows
    rules: Rules
    limits: Limits
    future: np.ndarray  # int32 [row]: results to come when the row's own step is over
    memory: Memory
    outcome: Outcome
    scratch: Scratch
    work: Work


@inner
def nothing_matched(state, memory, slot, own, importance):
    pass


@inlined
def replay_join(run, state, seen, entered, left, worst, yields, matched=nothing_matched):
    """Replay all rows; `state` is the policy's own."""
    time = run.rows.time
    evict_first = run.rules.evict_first
    _start(run)
    start = 0
    while start < len(time):
        now = time[start]
        run.memory.now[0] = now
        end = step_end(time, start)
        if start > 0 and len(run.work.wanted):
            earn(run.work, now - time[start - 1])
        _expire(run, state, left, now, start)
        if not evict_first:
            _probe_all(run, state, matched, start, end)
        for row in range(start, end):
            if run.rules.by_tuples:
                run.memory.clock[run.rows.stream[row]] += 1
            seen(state, run.memory, run.rows.stream[row], run.rows.key[row])
        _leave_after_matches(run, state, left, now, start)
        for row in range(start, end):
            _admit(run, state, entered, left, worst, yields, row, now, start)
        if not run.limits.ranks:
            _evict(run, state, left, worst, now, start)
        _note_occupancy(run)
        if evict_first:
            _probe_kept(run, state, matched, start, end)
            _leave_after_matches(run, state, left, now, end)
        start = end


@inner
def _start(run):
    for stream in range(2):
        run.memory.clock[stream] = -1
        run.scratch.ordinal[stream] = 0


@inner
def _expire(run, state, left, now, start):
    """Who is outside its window, or past its time to live, leaves."""
    memory = run.memory
    for stream in range(2):
        if not run.rules.by_tuples:
            memory.clock[stream] = now
        # A window of tuples moves on when the next one arrives.
        clock = memory.clock[stream] + run.rules.by_tuples
        slot = memory.oldest[stream]
        while slot != NONE:
            is_out = clock - memory.since[slot] > run.rules.window[stream]
            age = now - run.rows.time[memory.row[slot]]
            if not is_out and age <= run.limits.time_to_live[stream]:
                break
            _remove(run, state, left, slot, EXPIRED if is_out else LEAVES, now, start)
            slot = memory.oldest[stream]
    run.scratch.done[0] = 0


@inner
def _probe_all(run, state, matched, start, end):
    """Every arrival joins what memory kept of the other stream."""
    for row in range(start, end):
        results = _probe(run, state, matched, row, NONE, start)
        if run.limits.counts_matches:
            run.scratch.own[row - start] = results
        _count_met(run, row)


@inner
def _probe(run, state, matched, row, own, start):
    """Join an arrival with what is visible; returns the number of results."""
    results = joining(
        run.memory.visible, run.rules.condition, run.rows.stream[row], run.rows.key[row]
    )
    if len(run.work.wanted):
        results = work_through(run, row, start, results)
    if results > 0:
        importance = 0.0
        if len(run.work.sample.next):
            importance = run.work.sample.importance[0]
        elif len(run.rows.importance) or run.limits.counts_matches:
            importance = _meet(run, state, matched, row, own, start, results)
        if row >= run.rules.first_counted:
            group = group_of(run.rows, row)
            run.outcome.results[group] += results
            run.outcome.importance[group] += importance
    return results


@inner
def _meet(run, state, matched, row, own, start, most):
    """Walk over the first so many visible partners of an arrival; returns their pairs' total
    importance."""
    memory, condition = run.memory, run.rules.condition
    stream, key = run.rows.stream[row], run.rows.key[row]
    other = 1 - stream
    is_equality = condition.kind == EQUAL
    slot = memory.first[other, key] if is_equality else memory.oldest[other]
    total = 0.0
    while slot != NONE and memory.row[slot] < start and most > 0:
        if is_equality or keys_join(condition, stream, key, memory.key[slot]):
            most -= 1
            importance = 1.0
            if len(run.rows.importance):
                importance = pair_importance(run.rows, run.rules, memory.row[slot], row)
                total += importance
            if run.limits.counts_matches:
                matched(state, memory, slot, own, importance)
                memory.matches[slot] += 1
                if memory.matches[slot] == run.limits.join_to_live:
                    note_done(run, slot)
        slot = memory.after[slot] if is_equality else memory.newer[slot]
    return total


@inner
def _count_met(run, row):
    """Tuples in memory have met this arrival, or missed it."""
    if row >= run.rules.first_counted:
        kind = run.rules.condition.kind
        count(run.scratch.met, kind, run.rows.stream[row], run.rows.key[row], 1)


@inner
def _leave_after_matches(run, state, left, now, start):
    """Who has given enough results leaves; `start` is the first row that memory does not show."""
    for done in range(1, run.scratch.done[0] + 1):
        way = SHED if len(run.work.sample.next) else SATED
        _remove(run, state, left, run.scratch.done[done], way, now, start)
    run.scratch.done[0] = 0


@inner
def _admit(run, state, entered, left, worst, yields, row, now, start):
    """An arrival finds its place, or is dropped."""
    rows, rules, limits, memory, scratch = run.rows, run.rules, run.limits, run.memory, run.scratch
    stream, key = rows.stream[row], rows.key[row]
    since = scratch.ordinal[stream] if rules.by_tuples else now
    scratch.ordinal[stream] += 1
    if len(run.work.wanted):
        way = way_in(run, row)
        if way != CACHED:
            _depart(run, row, way, now, np.int64(run.future[row]))
            return
    if rules.evict_first:
        scratch.slots[row - start] = NONE
    elif limits.join_to_live > 0 and scratch.own[row - start] >= limits.join_to_live:
        _depart(run, row, SATED, now, np.int64(run.future[row]))
        return
    if limits.ranks:
        part = BOTH if limits.size[BOTH] >= 0 else np.int64(stream)
        used = _used(memory, part)
        if used == limits.size[part]:
            is_dropped = used == 0
            if not is_dropped:
                slot = worst(state, memory, part)
                is_dropped = yields(state, memory, stream, key, row, since, slot)
            if is_dropped:
                if used > 0:
                    _note_rival(run, row, memory.row[slot])
                _depart(run, row, DROPPED, now, np.int64(run.future[row]))
                return
            _note_rival(run, memory.row[slot], row)
            _remove(run, state, left, slot, _way_out(memory, slot, start), now, start)
    slot = put(memory, row, stream, key, since)
    if len(run.work.wanted):
        enter(run, row, slot)
    if limits.counts_matches:
        memory.matches[slot] = 0 if rules.evict_first else scratch.own[row - start]
    if rules.evict_first:
        scratch.slots[row - start] = slot
    else:
        _show(run, slot)
    entered(state, memory, slot)


@inner
def _evict(run, state, left, worst, now, start):
    """Candidates leave one by one until each part fits."""
    for part in range(3):
        size = run.limits.size[part]
        if size >= 0:
            for _ in range(_used(run.memory, part) - size):
                slot = worst(state, run.memory, part)
                _remove(run, state, left, slot, _way_out(run.memory, slot, start), now, start)


@inner
def _used(memory, part):
    return memory.used[0] + memory.used[1] if part == BOTH else memory.used[part]


@inner
def _way_out(memory, slot, start):
    """Arrivals of this step were never kept."""
    return DROPPED if memory.row[slot] >= start else EVICTED


@inner
def _note_occupancy(run):
    used = _used(run.memory, BOTH)
    run.outcome.left_slots[used] += run.memory.used[0]
    run.outcome.steps[used] += 1


@inner
def _probe_kept(run, state, matched, start, end):
    """Under evict-first, arrivals that were kept join the older tuples that were kept."""
    memory, outcome, scratch = run.memory, run.outcome, run.scratch
    for row in range(start, end):
        _count_met(run, row)
    for row in range(start, end):
        slot = scratch.slots[row - start]
        if slot != NONE and memory.row[slot] == row:
            memory.matches[slot] = _probe(run, state, matched, row, slot, start)
        elif row >= run.rules.first_counted:
            # The partners stay in memory, so only this arrival's absence costs these.
            stream, key = run.rows.stream[row], run.rows.key[row]
            outcome.lost[DROPPED] += joining(memory.visible, run.rules.condition, stream, key)
    for row in range(start, end):
        slot = scratch.slots[row - start]
        if slot != NONE and memory.row[slot] == row:
            _show(run, slot)
            if run.limits.join_to_live > 0 and memory.matches[slot] >= run.limits.join_to_live:
                note_done(run, slot)


@inner
def _show(run, slot):
    """From now on a tuple in memory can be met."""
    memory = run.memory
    stream, key = memory.stream[slot], memory.key[slot]
    memory.met[slot] = joining(run.scratch.met, run.rules.condition, stream, key)
    count(memory.visible, run.rules.condition.kind, stream, key, 1)


@inner
def _remove(run, state, left, slot, way, now, start):
    """Take a tuple out of memory; what it still had to wait for is lost."""
    memory, condition = run.memory, run.rules.condition
    row = memory.row[slot]
    stream, key = memory.stream[slot], memory.key[slot]
    lost = np.int64(run.future[row])
    if row < start or not run.rules.evict_first:
        lost -= joining(run.scratch.met, condition, stream, key) - memory.met[slot]
        count(memory.visible, condition.kind, stream, key, -1)
    left(state, memory, slot)
    take(memory, slot)
    _depart(run, row, way, now, lost)


@inner
def _note_rival(run, row, rival):
    """Of two, the one leaves and the other stays."""
    if len(run.outcome.rival):
        run.outcome.rival[row] = rival


@inner
def _depart(run, row, way, now, lost):
    """Note that a tuple leaves, or never entered."""
    rows, outcome = run.rows, run.outcome
    outcome.ways[way] += 1
    outcome.lost[way] += lost
    if len(run.work.lost):
        run.work.lost[row] = lost
    group = group_of(rows, row)
    outcome.lives[group, NUMBER] += 1
    if way != DROPPED:
        life = float(now - rows.time[row])
        outcome.lives[group, TOTAL] += life
        outcome.lives[group, SQUARES] += life * life
    if len(outcome.way):
        outcome.way[row] = way
        outcome.leaving[row] = now
