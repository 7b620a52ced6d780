"""The match graph: it applies to every join and every benefit, and is as large as its results.

A unit of flow is one slot of memory on its way from the first step to the last.

    step     A node: the slots that are free when the step is over. A slot may stay free until the
             next step, which gains nothing.
    match    A node: a tuple meets an arrival. A slot comes to a tuple's first match from the step
             of its arrival, and to every other match from the one before, all with capacity 1 and
             the match's gain. Then it is released to the step of the match, or stays.

Since a slot can only come to a tuple's matches through its arrival, the solver need not look at
them as nodes: a tuple is at one of its `stops`, its arrival or the match after which it is released
now, and can be moved from there to any other one for the difference of their total gains.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.joining import Join
from streamjoin_core.engine.rules import Rows, Rules
from streamjoin_core.optimal.arcs import UNLIMITED, Arcs, collect_arcs
from streamjoin_core.optimal.benefit import Benefit, weigh
from streamjoin_core.optimal.pairs import Waiting, meet, nobody_waits, start_waiting, stop_waiting
from streamjoin_core.optimal.walk import new_clock, step_starts, walk


class MatchGraph(NamedTuple):
    number_of_steps: int
    stops_of: np.ndarray  # int64 [row + 1]: where each row's stops start; none if it has no match
    step: np.ndarray  # int32 [stop]
    gain: np.ndarray  # int32 or int64 [stop]: of a tuple that is released there, in all

    @property
    def number_of_matches(self) -> int:
        has_stops = self.stops_of[1:] > self.stops_of[:-1]
        return len(self.step) - int(np.count_nonzero(has_stops))

    @property
    def total_gain(self) -> int:
        """Of all tuples, if each is released at its last stop."""
        last = self.stops_of[1:][self.stops_of[1:] > self.stops_of[:-1]] - 1
        return int(self.gain[last].sum(dtype=np.int64))

    @property
    def number_of_nodes(self) -> int:
        return self.number_of_steps + self.number_of_matches

    @property
    def number_of_arcs(self) -> int:
        return max(0, self.number_of_steps - 1) + 2 * self.number_of_matches

    def arcs(self) -> Arcs:
        """Idle slots, ways to matches, and releases from them."""
        is_match = np.ones(len(self.step), bool)
        is_match[self.stops_of[:-1][self.stops_of[1:] > self.stops_of[:-1]]] = False
        match = np.flatnonzero(is_match)
        node = self.step.astype(np.int64)  # a tuple's first stop is the step of its arrival
        node[match] = self.number_of_steps + np.arange(len(match))
        gain = self.gain[match] - self.gain[match - 1]
        return collect_arcs(
            self.number_of_steps,
            (node[match - 1], node[match], 1, gain),
            (node[match], self.step[match], UNLIMITED, 0),
        )


class _State(NamedTuple):
    rows: Rows
    rules: Rules
    waiting: Waiting
    scale: float
    next_stop: np.ndarray  # int64 [row]
    graph: MatchGraph


def match_graph(join: Join, benefit: Benefit, streams: tuple[int, ...] = (0, 1)) -> MatchGraph:
    """The match graph of a memory part that holds tuples of these streams only."""
    rows = join.rows
    matches = np.where(np.isin(rows.stream, streams), join.unlimited.future, 0).astype(np.int64)
    stops_of = np.concatenate(([0], np.cumsum(matches + (matches > 0))))
    graph = MatchGraph(
        number_of_steps=len(step_starts(rows.time)) - 1,
        stops_of=stops_of,
        step=np.empty(stops_of[-1], np.int32),
        gain=np.empty(stops_of[-1], np.int32 if benefit.is_equal_for_all else np.int64),
    )
    state = _State(rows, join.rules, nobody_waits(join), benefit.scale, stops_of[:-1].copy(), graph)
    _find_stops(rows, join.rules, new_clock(), state)
    return graph


@inner
def _add_stop(state, row, step, gain):
    graph, stop = state.graph, state.next_stop[row]
    if stop < graph.stops_of[row + 1]:
        if stop > graph.stops_of[row]:
            gain += graph.gain[stop - 1]
        graph.step[stop] = step
        graph.gain[stop] = gain
        state.next_stop[row] += 1


@inner
def _match(state, row, partner, step):
    _add_stop(state, row, step, weigh(state.rows, state.rules, state.scale, row, partner))


@inner
def _probe(state, row, step):
    meet(state, row, step, _match)


@inner
def _wait(state, row, step):
    _add_stop(state, row, step, np.int64(0))
    start_waiting(state, row, step)


@entry_point
def _find_stops(rows, rules, clock, state):
    walk(rows, rules, clock, state, stop_waiting, _probe, _wait)
