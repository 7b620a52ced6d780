"""The phases of a step that are done only as far as the processor may work; see `engine.work`."""

import numpy as np

from streamjoin_core.engine.compiled import inner
from streamjoin_core.engine.memory import NONE
from streamjoin_core.engine.rules import pair_importance
from streamjoin_core.engine.ways import CACHED, SHED, UNPAID
from streamjoin_core.engine.work import (
    ENTERS,
    NOTHING,
    PROBES,
    affordable,
    draw_first,
    draw_gap,
    pay,
)


@inner
def work_through(run, row, start, partners):
    """How many results come of an arrival's partners, as wanted and as paid for."""
    work = run.work
    is_counted = row >= run.rules.first_counted
    if not work.wanted[row] & PROBES:
        work.passed[row] = partners if is_counted else 0
        return np.int64(0)
    if len(work.sample.next):
        met, results = _draw_results(run, row, start)
    else:
        met = results = affordable(work, partners)
        pay(work, row, work.production * met)
    if is_counted:
        work.passed[row] = met - results
        work.unpaid[row] = partners - met
    return results


@inner
def _draw_results(run, row, start):
    """Meet the partners one by one, oldest first, while that can be paid for; returns how many
    were met, and how many of them gave a result. Who has no more to expect is done."""
    memory, work, sample = run.memory, run.work, run.work.sample
    met = results = np.int64(0)
    sample.importance[0] = 0.0
    slot = memory.first[1 - run.rows.stream[row], run.rows.key[row]]
    while slot != NONE and memory.row[slot] < start:
        is_result = memory.matches[slot] + 1 == sample.next[slot]
        if is_result or not sample.pays_per_result:
            if affordable(work, 1) == 0:
                break
            pay(work, row, work.production)
        met += 1
        memory.matches[slot] += 1
        if is_result:
            results += 1
            if len(run.rows.importance):
                importance = pair_importance(run.rows, run.rules, memory.row[slot], row)
                sample.importance[0] += importance
            following = sample.next[slot] + draw_gap(sample)
            sample.next[slot] = following if following <= sample.last[slot] else NOTHING
            if sample.next[slot] == NOTHING:
                note_done(run, slot)
        slot = memory.after[slot]
    return met, results


@inner
def way_in(run, row):
    """Whether the strategy wants an arrival in memory and it can be paid for: then CACHED."""
    work = run.work
    if not work.wanted[row] & ENTERS:
        return SHED
    if len(work.sample.next) and not draw_first(
        work.sample, run.rows.stream[row], run.rows.key[row]
    ):
        return SHED
    return CACHED if work.update <= work.purse[0] else UNPAID


@inner
def enter(run, row, slot):
    """Pay for a place in memory, and take the results that were drawn there."""
    pay(run.work, row, run.work.update)
    sample = run.work.sample
    if len(sample.next):
        run.memory.matches[slot] = 0
        sample.next[slot], sample.last[slot] = sample.drawn[0], sample.drawn[1]


@inner
def note_done(run, slot):
    """Note that a tuple has given all the results that it may; it leaves later in the step."""
    run.scratch.done[0] += 1
    run.scratch.done[run.scratch.done[0]] = slot
