"""The flow on the key graph."""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.optimal.key_graph import NONE, KeyGraph
from streamjoin_core.optimal.paths import NODE, add_units

_GATES = 2  # bit: some of a step's gates have a label to pass on


class KeyFlow(NamedTuple):
    """Where the slots are."""

    idle: np.ndarray  # int32 [step]: slots that stay free until the next step
    enters: np.ndarray  # bool [row]
    stays: np.ndarray  # int32 [gate]: slots that come from the previous gate
    leaves: np.ndarray  # int32 [gate]: slots that are released
    label: np.ndarray  # int64 [node]: the steps, then the gates
    gains: np.ndarray  # int64 [unit]
    units: np.ndarray  # int64 [1]: how many there are


class _Search(NamedTuple):
    parent: np.ndarray  # int32 [node]: where its label comes from
    pending: np.ndarray  # uint8 [step]: NODE, _GATES or both
    is_pending: np.ndarray  # bool [gate]


class KeyState(NamedTuple):
    graph: KeyGraph
    flow: KeyFlow
    search: _Search


def new_key_state(graph: KeyGraph, most: int) -> KeyState:
    steps, gates = graph.number_of_steps, len(graph.step)
    flow = KeyFlow(
        idle=np.zeros(steps, np.int32),
        enters=np.zeros(len(graph.target), np.bool_),
        stays=np.zeros(gates, np.int32),
        leaves=np.zeros(gates, np.int32),
        label=np.zeros(steps + gates, np.int64),
        gains=np.zeros(most, np.int64),
        units=np.zeros(1, np.int64),
    )
    search = _Search(
        np.empty(steps + gates, np.int32), np.zeros(steps, np.uint8), np.zeros(gates, np.bool_)
    )
    return KeyState(graph, flow, search)


@entry_point
def add_key_units(state, until):
    add_units(state.flow, state.search, until, state, _pass_on, _follow)


@inner
def _reach_step(state, step, label, origin, earliest):
    """A step may have a new label; the earliest step with something pending."""
    flow, search = state.flow, state.search
    if label < flow.label[step]:
        flow.label[step] = label
        search.parent[step] = origin
        search.pending[step] |= NODE
        earliest = min(earliest, step)
    return earliest


@inner
def _reach_gate(state, gate, label, origin, earliest):
    flow, search = state.flow, state.search
    node = len(search.pending) + gate
    if label < flow.label[node]:
        flow.label[node] = label
        search.parent[node] = origin
        search.is_pending[gate] = True
        step = state.graph.step[gate]
        search.pending[step] |= _GATES
        earliest = min(earliest, step)
    return earliest


@inner
def _pass_on(state, step):
    search = state.search
    earliest = np.int64(step)
    pending = search.pending[step]
    search.pending[step] = 0
    if pending & _GATES:
        for gate in range(state.graph.gates_of[step], state.graph.gates_of[step + 1]):
            if search.is_pending[gate]:
                search.is_pending[gate] = False
                earliest = _pass_on_gate(state, gate, step, earliest)
    pending |= search.pending[step]
    if pending & NODE:
        if earliest < step:
            search.pending[step] |= NODE  # which an earlier step may yet correct
        else:
            search.pending[step] = 0
            earliest = _pass_on_step(state, step, earliest)
    return earliest


@inner
def _pass_on_gate(state, gate, step, earliest):
    """Back to where its slots come from, and forward to where they may go."""
    graph, flow = state.graph, state.flow
    node = len(state.search.pending) + gate
    label = flow.label[node]
    before = label + graph.weight[gate]
    if flow.stays[gate] > 0:
        earliest = _reach_gate(state, graph.previous[gate], before, node, earliest)
    row = graph.newest[gate]
    while row != NONE:
        if flow.enters[row]:
            earliest = _reach_step(state, graph.step_of_row[row], before, node, earliest)
        row = graph.sibling[row]
    earliest = _reach_step(state, step, label, node, earliest)
    following = graph.following[gate]
    if following != NONE and flow.stays[following] < graph.survivors[following]:
        gained = label - graph.weight[following]
        earliest = _reach_gate(state, following, gained, node, earliest)
    return earliest


@inner
def _pass_on_step(state, step, earliest):
    """Back to the gates that release to it or the idle step before, and forward."""
    graph, flow = state.graph, state.flow
    label = flow.label[step]
    if step > 0 and flow.idle[step - 1] > 0:
        earliest = _reach_step(state, step - 1, label, step, earliest)
    for gate in range(graph.gates_of[step], graph.gates_of[step + 1]):
        if flow.leaves[gate] > 0:
            earliest = _reach_gate(state, gate, label, step, earliest)
    for row in range(graph.rows_of[step], graph.rows_of[step + 1]):
        gate = graph.target[row]
        if gate != NONE and not flow.enters[row]:
            earliest = _reach_gate(state, gate, label - graph.weight[gate], step, earliest)
    if step + 1 < len(flow.idle):
        earliest = _reach_step(state, step + 1, label, step, earliest)
    return earliest


@inner
def _follow(state):
    """From the last step back to the first."""
    flow, parent = state.flow, state.search.parent
    steps = len(flow.idle)
    node = np.int64(steps - 1)
    while node != 0:
        origin = np.int64(parent[node])
        if node < steps and origin < steps:
            if origin < node:
                flow.idle[origin] += 1
            else:
                flow.idle[node] -= 1
        elif node >= steps and origin >= steps:
            if origin < node:
                flow.stays[node - steps] += 1
            else:
                flow.stays[origin - steps] -= 1
        elif node < steps:
            _leave(state, origin - steps, node, 1)
        else:
            _leave(state, node - steps, origin, -1)
        node = origin


@inner
def _leave(state, gate, step, change):
    """A slot goes from a gate to a step (change 1) or back (-1): a release, or an entry undone."""
    graph, flow = state.graph, state.flow
    if graph.step[gate] == step:
        flow.leaves[gate] += change
    else:
        row = graph.newest[gate]
        while graph.step_of_row[row] != step or flow.enters[row] != (change == 1):
            row = graph.sibling[row]
        flow.enters[row] = change != 1
