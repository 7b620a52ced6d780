"""Successive shortest paths on the key graph, by corrections in order of time.

Each unit of memory takes the path from the first step to the last that gains most, given what the
units before it do: along arcs that have room, or backwards along arcs that are in use, which takes
their gain back. So a unit's gain is what one more unit of memory is worth, no unit gains more than
the one before, and one solution for the largest memory has those for all smaller ones.

Nodes have few arcs here, so a queue by distance would take more time than all else. Labels are
passed on in order of time instead: of all steps with a label to pass on, the earliest goes first.
Most arcs lead forwards in time, so only one label in ten is corrected after it was passed on, and
memory is read in the order in which it lies. Going back for each correction has no good bound in
the worst case. So if that happens too often, corrections wait until the walk has been to the end,
and the bound is that of Bellman and Ford.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.optimal.key_graph import NONE, KeyGraph

FAR = 2**62
_NODE, _GATES = 1, 2  # bits: the step, or some of its gates, have a label to pass on
_PATIENCE = 20  # how often steps are passed on, on average, until corrections wait


class KeyFlow(NamedTuple):
    """Where the slots are."""

    idle: np.ndarray  # int32 [step]: slots that stay free until the next step
    enters: np.ndarray  # bool [row]
    stays: np.ndarray  # int32 [gate]: slots that come from the previous gate
    leaves: np.ndarray  # int32 [gate]: slots that are released
    potential: np.ndarray  # int64 [node, the steps first]: labels, distances from the first step
    gains: np.ndarray  # int64 [unit]
    units: np.ndarray  # int64 [1]: how many there are


class _Search(NamedTuple):
    parent: np.ndarray  # int32 [node]: where its label comes from
    pending: np.ndarray  # uint8 [step]: _NODE, _GATES or both
    is_pending: np.ndarray  # bool [gate]


class KeyState(NamedTuple):
    graph: KeyGraph
    flow: KeyFlow
    search: _Search


def new_key_state(graph: KeyGraph, most: int) -> KeyState:
    """No units yet, and room for so many."""
    steps, gates = graph.number_of_steps, len(graph.step)
    flow = KeyFlow(
        idle=np.zeros(steps, np.int32),
        enters=np.zeros(len(graph.target), np.bool_),
        stays=np.zeros(gates, np.int32),
        leaves=np.zeros(gates, np.int32),
        potential=np.zeros(steps + gates, np.int64),
        gains=np.zeros(most, np.int64),
        units=np.zeros(1, np.int64),
    )
    search = _Search(
        np.empty(steps + gates, np.int32), np.zeros(steps, np.uint8), np.zeros(gates, np.bool_)
    )
    return KeyState(graph, flow, search)


@entry_point
def add_key_units(state, until):
    """Add units up to so many, unless the next one gains nothing."""
    flow = state.flow
    last = len(flow.idle) - 1
    while flow.units[0] < until:
        _find_path(state)
        gain = -flow.potential[last]
        if gain == 0:
            break
        _follow(state)
        flow.gains[flow.units[0]] = gain
        flow.units[0] += 1


@inner
def _find_path(state):
    """Give all nodes their labels."""
    label, pending = state.flow.potential, state.search.pending
    steps = len(pending)
    for node in range(len(label)):
        label[node] = FAR
    label[0] = 0
    pending[0] = _NODE
    patience = _PATIENCE * steps
    waiting = np.int64(steps)  # the earliest step whose correction waits
    step = np.int64(0)
    while step < steps:
        if pending[step] != 0:
            earliest = _pass_on(state, step)
            patience -= 1
            if patience > 0:
                step = earliest
            else:
                waiting = min(waiting, earliest)
        else:
            step += 1
            if step == steps:
                step, waiting = waiting, np.int64(steps)


@inner
def _reach_step(state, step, label, origin, earliest):
    """A step may have a new label; the earliest step with something pending."""
    flow, search = state.flow, state.search
    if label < flow.potential[step]:
        flow.potential[step] = label
        search.parent[step] = origin
        search.pending[step] |= _NODE
        earliest = min(earliest, step)
    return earliest


@inner
def _reach_gate(state, gate, label, origin, earliest):
    flow, search = state.flow, state.search
    node = len(search.pending) + gate
    if label < flow.potential[node]:
        flow.potential[node] = label
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
    if pending & _NODE:
        if earliest < step:
            search.pending[step] |= _NODE  # which an earlier step may yet correct
        else:
            search.pending[step] = 0
            earliest = _pass_on_step(state, step, earliest)
    return earliest


@inner
def _pass_on_gate(state, gate, step, earliest):
    """Back to where its slots come from, and forward to where they may go."""
    graph, flow = state.graph, state.flow
    node = len(state.search.pending) + gate
    label = flow.potential[node]
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
    label = flow.potential[step]
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
