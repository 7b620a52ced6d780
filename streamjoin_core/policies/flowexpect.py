"""FlowExpect: whoever the best plan for the next time units does not keep leaves.

At each step t0 the plan makes the expected number of results over [t0 + 1, t0 + l] largest, over
all sequences of decisions that are made beforehand; its first decision is carried out, and the next
step plans anew. The expected results at t of a tuple of stream A, B the other stream, are

    Pr{X^B_t joins v | history}                        for a known tuple with key v, and
    sum over v of Pr{X^A_t' = v and X^B_t joins v | history}      for an arrival of t' < t to come

with one arrival per stream and time unit to come; streams are independent, so the latter is a sum
of products. A tuple gives nothing past its window; a window of tuples moves on by one per time
unit. The plan is a min-cost flow along the timeline t0, ..., t0 + l: each slot of memory is a path,
each tuple an arc from its arrival to any later time. Each part of a split memory plans on its own.
Benefits are whole multiples of 2^-40 (of more where sums would overflow), so equal plans are
equal: among them the earlier arrivals leave first.

Models, per stream: stationary, trend, walk, ar1, empirical, offline; a stream without one is
empirical: the frequencies of all its arrivals so far, this step's included. A walk and an ar1 start
from the last arrival, and know nothing before the first. Under offline all arrivals of the next
time units are known tuples to come, several per unit if so; with a window of time and a lookahead
as long as the trace, that is the offline optimum. Trend, walk and ar1 need keys that are integers.
Bands and inequalities sum over all keys that join.

Parameters: lookahead, l.
Cost: O((l + arrivals) (mem l + l^3)) at most per step, if the memory is full.
Differences from the paper: the timeline in place of a copy of each tuple per time unit, so that a
step takes microseconds; memory may have free slots; windows, and steps of any number of arrivals.
Results count, not their importance. Under evict-first it decides alike.
References: J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005,
section 4; J. Xie's dissertation, section 3.3.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.ageing import never_yields, nothing_moves
from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.expectation import (
    Expectation,
    arrivals_that_join,
    chance_to_come,
    look_ahead,
    new_expectation,
    note_arrival,
)
from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import JoinTask, run_join, slots_needed
from streamjoin_core.engine.loop import replay_join
from streamjoin_core.engine.memory import NONE
from streamjoin_core.errors import InputError
from streamjoin_core.models.outlook import COMING
from streamjoin_core.optimal.expected_flow import (
    Timeline,
    find_plan,
    new_timeline,
    spare_bits,
    tie_bits_of,
)
from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.policies.base import Policy

_MOST_CELLS = 10**8


@dataclass(frozen=True)
class Lookahead(Parameters):
    lookahead: int = parameter(5, "time units that a plan looks ahead", least=1)


class _Planner(NamedTuple):
    expected: Expectation
    timeline: Timeline
    window: np.ndarray  # int64 [stream]
    size: np.ndarray  # int64 [part]: as the memory's limits
    tie_bits: int
    candidates: np.ndarray  # uint32 [candidate]: slots, in order of arrival
    leaving: np.ndarray  # int64: the next candidate to look at for who leaves; -1: plan first


@inner
def _seen(planner, memory, stream, key):
    note_arrival(planner.expected, stream, key)
    planner.leaving[:] = -1


@inner
def _worst(planner, memory, part):
    """The plan's next candidate that is not kept; the first call of a step makes the plan."""
    leaving = planner.leaving
    if leaving[part] < 0:
        _plan(planner, memory, part)
        leaving[part] = 0
    while planner.timeline.stop[leaving[part]] > 0:
        leaving[part] += 1
    leaving[part] += 1
    return planner.candidates[leaving[part] - 1]


@inner
def _plan(planner, memory, part):
    lookahead = planner.timeline.gains.shape[1] - 1
    look_ahead(planner.expected, lookahead)
    planner.timeline.number[0] = 0
    _add_candidates(planner, memory, part)
    for stream in range(2):
        if part != 1 - stream:
            if planner.expected.outlooks[stream].kind == COMING:
                _add_known_to_come(planner, stream)
            else:
                for arrival in range(1, lookahead):
                    _add(planner, stream, arrival, planner.window[stream], -1, 0)
    find_plan(planner.timeline, planner.size[part])


@inner
def _add_candidates(planner, memory, part):
    """All in this part of the memory, in order of arrival; a later one is kept among equals."""
    left = memory.oldest[0] if part != 1 else NONE
    right = memory.oldest[1] if part != 0 else NONE
    place = 0
    while left != NONE or right != NONE:
        if right == NONE or (left != NONE and memory.row[left] < memory.row[right]):
            slot, left = left, memory.newer[left]
        else:
            slot, right = right, memory.newer[right]
        planner.candidates[place] = slot
        place += 1
        stream = memory.stream[slot]
        remaining = planner.window[stream] - (memory.clock[stream] - memory.since[slot])
        _add(planner, np.int64(stream), 0, remaining, np.int64(memory.key[slot]), place)


@inner
def _add_known_to_come(planner, stream):
    expected = planner.expected
    lookahead = planner.timeline.gains.shape[1] - 1
    row = expected.rows[0]
    now = expected.time[row - 1]
    while row < len(expected.time) and expected.time[row] < now + lookahead:
        if expected.stream[row] == stream:
            key, arrival = np.int64(expected.key[row]), expected.time[row] - now
            _add(planner, stream, arrival, planner.window[stream], key, 0)
        row += 1


@inner
def _add(planner, stream, arrival, remaining, key, place):
    """Add a tuple to the timeline; its key is -1 if it is not known."""
    expected, timeline = planner.expected, planner.timeline
    number = timeline.number[0]
    timeline.number[0] += 1
    timeline.arrival[number] = arrival
    timeline.gains[number, arrival] = 0
    other = 1 - stream
    is_constant = key >= 0 and expected.outlooks[other].kind < COMING
    total, rate = np.int64(0), np.int64(0)
    for ahead in range(arrival + 1, timeline.gains.shape[1]):
        if ahead - arrival <= remaining:
            if key < 0:
                rate = chance_to_come(expected, stream, arrival, ahead)
            elif ahead == arrival + 1 or not is_constant:
                rate = arrivals_that_join(expected, other, ahead, np.uint32(key))
            total += rate
        timeline.gains[number, ahead] = (total << planner.tie_bits) + place


@entry_point
def _replay(run, planner):
    replay_join(run, planner, _seen, nothing_moves, nothing_moves, _worst, never_yields)


def replay_joining(task: JoinTask) -> JoinFacts:
    return run_join(task, _replay, _new_planner(task), ranks=False)


def _new_planner(task: JoinTask) -> _Planner:
    join, lookahead = task.join, task.params.lookahead
    time = join.rows.time
    slots = slots_needed(task, ranks=False)
    ends = np.searchsorted(time, time + min(lookahead, 2**62 - int(time.max(initial=0))))
    most_to_come = 2 * lookahead + int((ends - np.arange(len(time))).max(initial=0))
    if (slots + most_to_come) * (lookahead + 1) + 8 * (lookahead + 1) ** 2 > _MOST_CELLS:
        raise InputError(f"lookahead {lookahead} is too far for flowexpect: give a smaller one")
    tie_bits = tie_bits_of(slots, join.most_arrivals)
    one = 2.0 ** spare_bits(lookahead, max(1, join.most_arrivals), tie_bits)
    if one < 1:
        raise InputError(
            f"flowexpect cannot count benefits {lookahead} time units ahead in 62 bits for a "
            f"memory of {task.mem}: give a smaller lookahead"
        )
    expected = new_expectation(join, task.model, lookahead, one, of_unknown=True)
    size = np.array([*task.parts, 0] if len(task.parts) == 2 else [0, 0, task.mem], np.int64)
    return _Planner(
        expected,
        new_timeline(slots + most_to_come, lookahead),
        join.rules.window,
        size,
        tie_bits,
        np.zeros(slots, np.uint32),
        np.full(3, -1, np.int64),
    )


POLICY = Policy(
    name="flowexpect",
    summary="whoever the plan of largest expected results over the next time units does not keep",
    paper="Xie, Yang, Chen 2005; Xie's dissertation",
    cost="O((l + arrivals) (mem l + l^3))",
    joining=replay_joining,
    parameters=Lookahead,
)
