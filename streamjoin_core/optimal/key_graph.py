"""The key graph of an equality join: as small as the trace, however many results there are.

A unit of flow is one slot of memory on its way from the first step to the last.

    step     A node: the slots that are free when the step is over. A slot may stay free until the
             next step, which gains nothing.
    gate     A node: a step at which tuples of one stream and key meet arrivals of the other. Each
             slot that comes through gains the number of those arrivals, and is then released to
             its step or stays for the next gate of the same stream and key.
    entry    An arc of capacity 1: an arrival takes a slot that is free after its step to the first
             gate that it is in time for.

Tuples of one stream and key are interchangeable units: they have the same future but for their
windows, and a slot may swap an older one for a newer one at no cost. So it only matters how many
slots stay from one gate to the next: at most as many as there are `survivors`, tuples that were
there before the first of the two and are in their window at the second. Any more would have to wait
with tuples that arrive in between; those slots may as well be released and enter with them.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.condition import EQUAL
from streamjoin_core.engine.joining import Join
from streamjoin_core.engine.rules import Rows
from streamjoin_core.errors import InputError
from streamjoin_core.optimal.arcs import UNLIMITED, Arcs, collect_arcs
from streamjoin_core.optimal.walk import new_clock, step_starts, walk

NONE = -1
_MOST_ROWS = 2**30  # there may be twice as many nodes, and their numbers have 31 bits


class KeyGraph(NamedTuple):
    """Gates are numbered in order of time, as rows and steps are."""

    rows_of: np.ndarray  # int32 [step + 1]: where each step's rows start
    gates_of: np.ndarray  # int32 [step + 1]: where each step's gates start

    step_of_row: np.ndarray  # int32 [row]
    target: np.ndarray  # int32 [row]: the gate that it enters for, or NONE
    sibling: np.ndarray  # int32 [row]: an older row that enters for the same gate, or NONE

    arrival: np.ndarray  # int32 [gate]: the first row that its tuples meet there
    step: np.ndarray  # int32 [gate]
    weight: np.ndarray  # int32 [gate]: results of a tuple that is there
    newest: np.ndarray  # int32 [gate]: the newest row that enters for it, or NONE
    previous: np.ndarray  # int32 [gate]: of the same stream and key, or NONE
    following: np.ndarray  # int32 [gate]: likewise
    survivors: np.ndarray  # int32 [gate]: how many slots may come from the previous one

    @property
    def number_of_steps(self) -> int:
        return len(self.rows_of) - 1

    @property
    def number_of_nodes(self) -> int:
        return self.number_of_steps + len(self.step)

    @property
    def number_of_arcs(self) -> int:
        entries, links = (np.count_nonzero(ids != NONE) for ids in (self.target, self.previous))
        return max(0, self.number_of_steps - 1) + int(entries) + int(links) + len(self.step)

    def arcs(self) -> Arcs:
        """Idle slots, entries, slots that stay for the next gate, and releases."""
        entries = np.flatnonzero(self.target != NONE)
        links = np.flatnonzero(self.previous != NONE)
        target = self.target[entries]
        gates = self.number_of_steps + np.arange(len(self.step))
        return collect_arcs(
            self.number_of_steps,
            (self.step_of_row[entries], gates[target], 1, self.weight[target]),
            (gates[self.previous[links]], gates[links], self.survivors[links], self.weight[links]),
            (gates, self.step, UNLIMITED, 0),
        )


class _Chains(NamedTuple):
    """What is known, at some row, of the tuples of each stream and key."""

    live: np.ndarray  # int32 [stream, key]: how many are in their window
    fresh: np.ndarray  # int32 [stream, key]: how many of those came after the latest gate
    newest: np.ndarray  # int32 [stream, key]: the newest of those
    gate: np.ndarray  # int32 [stream, key]: the latest gate, or NONE
    found: np.ndarray  # int64 [1]: gates so far


class _State(NamedTuple):
    rows: Rows
    is_kept: np.ndarray  # bool [stream]
    chains: _Chains
    graph: KeyGraph


def key_graph(join: Join, streams: tuple[int, ...] = (0, 1)) -> KeyGraph:
    """The key graph of a memory part that holds tuples of these streams only."""
    if join.rules.condition.kind != EQUAL:
        raise InputError("the key graph is for equality joins: take the match graph")
    number, shape = len(join.rows.time), (2, join.number_of_keys)
    if number > _MOST_ROWS:
        raise InputError(f"{number:,} rows are too many for one graph: take part of the trace")
    chains = _Chains(
        live=np.zeros(shape, np.int32),
        fresh=np.zeros(shape, np.int32),
        newest=np.full(shape, NONE, np.int32),
        gate=np.full(shape, NONE, np.int32),
        found=np.zeros(1, np.int64),
    )
    is_kept = np.array([stream in streams for stream in range(2)])
    steps = len(step_starts(join.rows.time)) - 1
    room = KeyGraph(
        *(np.zeros(steps + 1, np.int32) for _ in range(2)),
        *(np.full(number, NONE, np.int32) for _ in range(10)),
    )
    _find_gates(join.rows, join.rules, new_clock(), _State(join.rows, is_kept, chains, room))
    found = chains.found[0]
    return KeyGraph(*room[:5], *(column[:found].copy() for column in room[5:]))


@inner
def _expire(state, row, start):
    chains, graph = state.chains, state.graph
    stream, key = state.rows.stream[row], state.rows.key[row]
    chains.live[stream, key] -= 1
    latest = chains.gate[stream, key]
    if latest == NONE or graph.step_of_row[row] >= graph.step[latest]:
        chains.fresh[stream, key] -= 1


@inner
def _probe(state, row, step):
    """An arrival is a gate of the other stream's tuples with its key, or adds to it."""
    chains, graph = state.chains, state.graph
    stream, key = 1 - state.rows.stream[row], state.rows.key[row]
    if state.is_kept[stream] and chains.live[stream, key] > 0:
        latest = chains.gate[stream, key]
        if latest != NONE and graph.step[latest] == step:
            graph.weight[latest] += 1
        else:
            _open_gate(chains, graph, row, step, stream, key)


@inner
def _open_gate(chains, graph, arrival, step, stream, key):
    gate = chains.found[0]
    chains.found[0] += 1
    graph.arrival[gate] = arrival
    graph.step[gate] = step
    graph.weight[gate] = 1
    entries = chains.fresh[stream, key]
    if entries > 0:
        row = chains.newest[stream, key]
        graph.newest[gate] = row
        graph.target[row] = gate
        for _ in range(entries - 1):
            row = graph.sibling[row]
            graph.target[row] = gate
        graph.sibling[row] = NONE  # what is older has expired
    survivors = chains.live[stream, key] - entries
    graph.survivors[gate] = survivors
    if survivors > 0:
        previous = chains.gate[stream, key]
        graph.previous[gate] = previous
        graph.following[previous] = gate
    chains.gate[stream, key] = gate
    chains.fresh[stream, key] = 0
    chains.newest[stream, key] = NONE


@inner
def _wait(state, row, step):
    chains, graph = state.chains, state.graph
    stream, key = state.rows.stream[row], state.rows.key[row]
    graph.step_of_row[row] = step
    graph.rows_of[step + 1] = row + 1
    graph.gates_of[step + 1] = chains.found[0]
    graph.sibling[row] = chains.newest[stream, key]
    chains.newest[stream, key] = row
    chains.fresh[stream, key] += 1
    chains.live[stream, key] += 1


@entry_point
def _find_gates(rows, rules, clock, state):
    walk(rows, rules, clock, state, _expire, _probe, _wait)
