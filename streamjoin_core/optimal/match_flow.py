"""The flow on the match graph."""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.optimal.match_graph import MatchGraph
from streamjoin_core.optimal.paths import NODE, add_units

NONE = -1


class MatchFlow(NamedTuple):
    """Where the slots are: tuples are released at the step of their stop, or wait there."""

    idle: np.ndarray  # int32 [step]: slots that stay free until the next step
    stop: np.ndarray  # int64 [row]: the first one if no slot has it
    first: np.ndarray  # int32 [step]: one of the tuples whose stop is there, or NONE
    after: np.ndarray  # int32 [row]: another one, or NONE
    before: np.ndarray  # int32 [row]: likewise, the other way round
    label: np.ndarray  # int64 [step]
    gains: np.ndarray  # int64 [unit]
    units: np.ndarray  # int64 [1]: how many there are


class _Search(NamedTuple):
    parent: np.ndarray  # int32 [step]: where its label comes from
    moved: np.ndarray  # int32 [step]: which tuple is moved from there, or NONE for an idle slot
    stop: np.ndarray  # int64 [step]: to which of its stops
    pending: np.ndarray  # uint8 [step]


class MatchState(NamedTuple):
    graph: MatchGraph
    flow: MatchFlow
    search: _Search


def new_match_state(graph: MatchGraph, most: int) -> MatchState:
    steps, rows = graph.number_of_steps, len(graph.stops_of) - 1
    flow = MatchFlow(
        idle=np.zeros(steps, np.int32),
        stop=graph.stops_of[:-1].copy(),
        first=np.full(steps, NONE, np.int32),
        after=np.full(rows, NONE, np.int32),
        before=np.full(rows, NONE, np.int32),
        label=np.zeros(steps, np.int64),
        gains=np.zeros(most, np.int64),
        units=np.zeros(1, np.int64),
    )
    search = _Search(
        np.empty(steps, np.int32),
        np.empty(steps, np.int32),
        np.empty(steps, np.int64),
        np.zeros(steps, np.uint8),
    )
    state = MatchState(graph, flow, search)
    _line_up(state)
    return state


@entry_point
def _line_up(state):
    """Everyone waits at its first stop."""
    graph = state.graph
    for row in range(len(graph.stops_of) - 1):
        if graph.stops_of[row] < graph.stops_of[row + 1]:
            _put(state.flow, row, graph.step[graph.stops_of[row]])


@entry_point
def add_match_units(state, until):
    add_units(state.flow, state.search, until, state, _pass_on, _follow)


@inner
def _pass_on(state, step):
    """To the steps beside it, and to all other stops of the tuples that are there."""
    graph, flow, search = state.graph, state.flow, state.search
    search.pending[step] = 0
    earliest = np.int64(step)
    label = flow.label[step]
    if step + 1 < len(flow.idle) and label < flow.label[step + 1]:
        _set_label(flow, search, step + 1, label, step, NONE, 0)
    if step > 0 and flow.idle[step - 1] > 0 and label < flow.label[step - 1]:
        _set_label(flow, search, step - 1, label, step, NONE, 0)
        earliest = np.int64(step - 1)
    row = flow.first[step]
    while row != NONE:
        given_up = label + graph.gain[flow.stop[row]]
        for stop in range(graph.stops_of[row], graph.stops_of[row + 1]):
            there = graph.step[stop]
            if given_up - graph.gain[stop] < flow.label[there]:
                _set_label(flow, search, there, given_up - graph.gain[stop], step, row, stop)
                earliest = min(earliest, there)
        row = flow.after[row]
    return earliest


@inner
def _set_label(flow, search, step, label, parent, moved, stop):
    flow.label[step] = label
    search.parent[step] = parent
    search.moved[step] = moved
    search.stop[step] = stop
    search.pending[step] = NODE


@inner
def _follow(state):
    """From the last step back to the first."""
    flow, search = state.flow, state.search
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
