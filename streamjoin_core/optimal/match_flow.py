"""Successive shortest paths on the match graph, by Dijkstra's algorithm.

Each unit of memory takes the path from the first step to the last that gains most, given what the
units before it do. It may move tuples to other stops than they have, and use idle slots for more.
So a unit's gain is what one more unit of memory is worth, no unit gains more than the one before,
and one solution for the largest memory has those for all smaller ones.

A path leads from step to step: from the step of a tuple's stop to that of any other of its stops.
The steps are few and their arcs are many, so each step should be looked at only once: potentials,
the labels of the unit before, make all arcs cost at least 0, and steps are looked at in order of
distance. The search ends when it has reached the last step.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.optimal.match_graph import MatchGraph
from streamjoin_core.optimal.radix_queue import RadixQueue, add, clear, new_queue, pop, remove

NONE = -1
FAR = 2**62


class MatchFlow(NamedTuple):
    """Where the slots are: tuples are released at the step of their stop, or wait there."""

    idle: np.ndarray  # int32 [step]: slots that stay free until the next step
    stop: np.ndarray  # int64 [row]: the first one if no slot has it
    first: np.ndarray  # int32 [step]: one of the tuples whose stop is there, or NONE
    after: np.ndarray  # int32 [row]: another one, or NONE
    before: np.ndarray  # int32 [row]: likewise, the other way round
    potential: np.ndarray  # int64 [step]: distance from the first step, for the last unit
    gains: np.ndarray  # int64 [unit]
    units: np.ndarray  # int64 [1]: how many there are


class _Search(NamedTuple):
    label: np.ndarray  # int64 [step]: length of the best path so far; FAR if there is none yet
    parent: np.ndarray  # int32 [step]: the step before
    moved: np.ndarray  # int32 [step]: which tuple is moved from there, or NONE for an idle slot
    stop: np.ndarray  # int64 [step]: to which of its stops
    queue: RadixQueue  # of steps


class MatchState(NamedTuple):
    graph: MatchGraph
    flow: MatchFlow
    search: _Search


def new_match_state(graph: MatchGraph, most: int) -> MatchState:
    """No units yet, but potentials for the first of at most so many."""
    steps, rows = graph.number_of_steps, len(graph.stops_of) - 1
    flow = MatchFlow(
        idle=np.zeros(steps, np.int32),
        stop=graph.stops_of[:-1].copy(),
        first=np.full(steps, NONE, np.int32),
        after=np.full(rows, NONE, np.int32),
        before=np.full(rows, NONE, np.int32),
        potential=np.zeros(steps, np.int64),
        gains=np.zeros(most, np.int64),
        units=np.zeros(1, np.int64),
    )
    search = _Search(
        np.full(steps, FAR, np.int64),
        np.empty(steps, np.int32),
        np.empty(steps, np.int32),
        np.empty(steps, np.int64),
        new_queue(steps),
    )
    _line_up(graph, flow)
    return MatchState(graph, flow, search)


@entry_point
def _line_up(graph, flow):
    """Everyone waits at its first stop, so that all arcs lead forwards."""
    for row in range(len(graph.stops_of) - 1):
        first, end = graph.stops_of[row], graph.stops_of[row + 1]
        if first < end:
            _put(flow, row, graph.step[first])
    potential = flow.potential
    for step in range(len(potential)):
        if step > 0:
            potential[step] = min(potential[step], potential[step - 1])
        row = flow.first[step]
        while row != NONE:
            for stop in range(graph.stops_of[row], graph.stops_of[row + 1]):
                there = graph.step[stop]
                potential[there] = min(potential[there], potential[step] - graph.gain[stop])
            row = flow.after[row]


@entry_point
def add_match_units(state, until):
    """Add units up to so many, unless the next one gains nothing."""
    flow, label = state.flow, state.search.label
    potential = flow.potential
    while flow.units[0] < until:
        distance = _find_path(state)
        for step in range(len(label)):
            # Whoever was not reached is at least as far beyond its potential as the last step.
            potential[step] = min(label[step], potential[step] + distance)
            label[step] = FAR
        gain = -potential[len(label) - 1]
        if gain == 0:
            break
        _follow(flow, state.search)
        flow.gains[flow.units[0]] = gain
        flow.units[0] += 1


@inner
def _find_path(state):
    """Reach the last step; the distance to it beyond what potentials say."""
    graph, flow, search = state.graph, state.flow, state.search
    label, potential, queue = search.label, flow.potential, search.queue
    last = len(label) - 1
    clear(queue)
    label[0] = 0
    add(queue, 0, 0)
    while label[last] - potential[last] > queue.present[0]:
        step = np.int64(pop(queue, label, potential))
        if step < last:
            _reach(flow, search, step + 1, label[step], step, NONE, 0)
        if step > 0 and flow.idle[step - 1] > 0:
            _reach(flow, search, step - 1, label[step], step, NONE, 0)
        row = flow.first[step]
        while row != NONE:
            given_up = label[step] + graph.gain[flow.stop[row]]
            for stop in range(graph.stops_of[row], graph.stops_of[row + 1]):
                _reach(flow, search, graph.step[stop], given_up - graph.gain[stop], step, row, stop)
            row = flow.after[row]
    return queue.present[0]


@inner
def _reach(flow, search, step, label, parent, moved, stop):
    """A way to a step, by moving a tuple to one of its stops or with an idle slot."""
    old = search.label[step]
    if label < old:
        if old != FAR:
            remove(search.queue, step)
        search.label[step] = label
        search.parent[step] = parent
        search.moved[step] = moved
        search.stop[step] = stop
        add(search.queue, step, label - flow.potential[step])


@inner
def _follow(flow, search):
    """From the last step back to the first."""
    step = np.int64(len(flow.idle) - 1)
    while step != 0:
        parent, row = np.int64(search.parent[step]), search.moved[step]
        if row != NONE:
            _take(flow, row, parent)
            _put(flow, row, step)
            flow.stop[row] = search.stop[step]
        elif parent < step:
            flow.idle[parent] += 1
        else:
            flow.idle[step] -= 1
        step = parent


@inner
def _put(flow, row, step):
    """Put a tuple on a step's list."""
    first = flow.first[step]
    flow.before[row] = NONE
    flow.after[row] = first
    if first != NONE:
        flow.before[first] = row
    flow.first[step] = row


@inner
def _take(flow, row, step):
    """Take it off."""
    before, after = flow.before[row], flow.after[row]
    if before != NONE:
        flow.after[before] = after
    else:
        flow.first[step] = after
    if after != NONE:
        flow.before[after] = before
