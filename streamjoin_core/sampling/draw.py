"""Drawing a sample in one pass over all results, as the join would have produced them.

UNIFORM (figure 4 of the paper) flips a coin of bias p for each result of a tuple to come, by
drawing how many are skipped until the next one that is taken. If that is beyond its n(s), the
tuple is discarded. Cluster sampling keeps a tuple to the end of its window, or not at all.
"""

from math import log, log1p
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.chance import new_chance, next_word, wrapping_around
from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.joining import Join
from streamjoin_core.engine.rules import Rows, Rules
from streamjoin_core.optimal.pairs import Waiting, meet, nobody_waits, start_waiting, stop_waiting
from streamjoin_core.optimal.walk import new_clock, step_starts, walk

_UNIT = 1.0 / 2**53
_NEVER = 2.0**62  # more results than any tuple has


class Plan(NamedTuple):
    """What is drawn."""

    is_uniform: bool
    p: float  # of a result, for UNIFORM
    results: np.ndarray  # float64 [row]: n(s), for UNIFORM
    chance: np.ndarray  # float64 [row]: that it is kept, for clusters
    value: np.ndarray  # float64 [row]: to aggregate; empty if results are only counted
    value_stream: int  # whose value it is


class Sample(NamedTuple):
    """What came out; arrays over steps are sums over the results of a step."""

    count: np.ndarray  # float64 [step]: all results
    total: np.ndarray  # float64 [step]: of their values
    weight: np.ndarray  # float64 [step]: of the sampled results, each by 1 / its probability
    weighed: np.ndarray  # float64 [step]: of their values
    held: np.ndarray  # int64 [step]: by how much the memory used changes
    size: np.ndarray  # int64 [1]: results in the sample
    earlier: np.ndarray  # int32 [result]: the rows of the sampled results; as many as there is room
    later: np.ndarray  # int32 [result]


class _State(NamedTuple):
    rows: Rows
    rules: Rules
    waiting: Waiting
    chance: np.ndarray
    plan: Plan
    sample: Sample
    step_of: np.ndarray  # int32 [row]
    is_kept: np.ndarray  # bool [row]
    seen: np.ndarray  # int64 [row]: results so far
    next: np.ndarray  # float64 [row]: the number of the result that is taken next
    log_q: float


def draw_sample(join: Join, plan: Plan, seed: int, lists_results: bool) -> Sample:
    """Draw once; with `lists_results`, a second pass notes the rows of what was drawn."""
    sample = _draw(join, plan, seed, 0)
    return _draw(join, plan, seed, int(sample.size[0])) if lists_results else sample


def _draw(join: Join, plan: Plan, seed: int, room: int) -> Sample:
    rows = len(join.trace)
    starts = step_starts(join.rows.time)
    steps = len(starts) - 1
    sample = Sample(
        *(np.zeros(steps) for _ in range(4)),
        np.zeros(steps + 1, np.int64),
        np.zeros(1, np.int64),
        np.zeros(room, np.int32),
        np.zeros(room, np.int32),
    )
    state = _State(
        join.rows,
        join.rules._replace(first_counted=0),
        nobody_waits(join),
        new_chance(seed),
        plan,
        sample,
        np.append(np.repeat(np.arange(steps), np.diff(starts)), steps).astype(np.int32),
        np.zeros(rows, bool),
        np.zeros(rows, np.int64),
        np.zeros(rows),
        log1p(-plan.p) if plan.p < 1 else -np.inf,
    )
    with wrapping_around():
        _walk(state.rows, state.rules, new_clock(), state)
    return sample


@inner
def _uniform(state):
    """A number over 0, and at most 1."""
    return ((next_word(state.chance) >> np.uint64(11)) + np.uint64(1)) * _UNIT


@inner
def _decide_next(state, row, step):
    """Draw which result of a tuple is taken next, and let it go if there will be no such."""
    skipped = 0.0
    if state.log_q > -np.inf:
        skipped = np.floor(min(log(_uniform(state)) / state.log_q, _NEVER))
    state.next[row] = state.seen[row] + 1 + skipped
    if state.next[row] > state.plan.results[row]:
        state.is_kept[row] = False
        state.sample.held[step] -= 1


@inner
def _meet_one(state, earlier, row, step):
    plan, sample = state.plan, state.sample
    value = 1.0
    if len(plan.value):
        value = plan.value[earlier if state.rows.stream[earlier] == plan.value_stream else row]
    sample.count[step] += 1
    sample.total[step] += value
    if not state.is_kept[earlier]:
        return
    probability = plan.chance[earlier]
    if plan.is_uniform:
        probability = plan.p
        state.seen[earlier] += 1
        if state.seen[earlier] < state.next[earlier]:
            return
    sample.weight[step] += 1 / probability
    sample.weighed[step] += value / probability
    number = sample.size[0]
    if number < len(sample.earlier):
        sample.earlier[number] = earlier
        sample.later[number] = row
    sample.size[0] += 1
    if plan.is_uniform:
        _decide_next(state, earlier, step)


@inner
def _probe(state, row, step):
    meet(state, row, step, _meet_one)


@inner
def _wait(state, row, step):
    start_waiting(state, row, step)
    state.is_kept[row] = True
    state.sample.held[step] += 1
    if state.plan.is_uniform:
        _decide_next(state, row, step)
    elif _uniform(state) > state.plan.chance[row]:
        state.is_kept[row] = False
        state.sample.held[step] -= 1


@inner
def _expire(state, row, start):
    stop_waiting(state, row, start)
    if state.is_kept[row]:
        state.sample.held[state.step_of[start]] -= 1


@entry_point
def _walk(rows, rules, clock, state):
    walk(rows, rules, clock, state, _expire, _probe, _wait)
