"""From a flow to concrete tuples: the step after whose probe each tuple is released.

On the match graph that is the step of its stop. On the key graph slots go through gates, and which
tuples they hold is still open: always the newest of the stream and key. So an arrival without a
slot of its own takes the oldest one's, if there is one. Then whoever is held is in its window at
the next gate, since no more slots stay than there are survivors.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.joining import Join
from streamjoin_core.optimal.key_flow import KeyFlow
from streamjoin_core.optimal.key_graph import KeyGraph
from streamjoin_core.optimal.match_flow import MatchFlow
from streamjoin_core.optimal.match_graph import MatchGraph

NONE = -1


def leaving_on_match_graph(join: Join, graph: MatchGraph, flow: MatchFlow) -> np.ndarray:
    """Per row the step at which it leaves, or NONE if it never enters."""
    leaving = np.full(len(join.rows.time), NONE, np.int32)
    entering = np.flatnonzero(flow.stop > graph.stops_of[:-1])
    leaving[entering] = graph.step[flow.stop[entering]]
    return leaving


class _Held(NamedTuple):
    """The tuples of each stream and key that have a slot: a run of its arrivals, to the newest."""

    number: np.ndarray  # int32 [stream, key]
    oldest: np.ndarray  # int32 [stream, key]
    newest: np.ndarray  # int32 [stream, key]: the newest arrival, held or not, or NONE
    newer: np.ndarray  # int32 [row]: the next arrival of its stream and key


def leaving_on_key_graph(join: Join, graph: KeyGraph, flow: KeyFlow) -> np.ndarray:
    """Per row the step at which it leaves, or NONE if it never enters."""
    shape, number = (2, join.number_of_keys), len(join.rows.time)
    held = _Held(
        np.zeros(shape, np.int32),
        np.zeros(shape, np.int32),
        np.full(shape, NONE, np.int32),
        np.empty(number, np.int32),
    )
    leaving = np.full(number, NONE, np.int32)
    _hold_newest(join.rows, graph, flow, held, leaving)
    return leaving


@entry_point
def _hold_newest(rows, graph, flow, held, leaving):
    for step in range(len(graph.rows_of) - 1):
        for gate in range(graph.gates_of[step], graph.gates_of[step + 1]):
            arrival = graph.arrival[gate]
            stream, key = 1 - rows.stream[arrival], rows.key[arrival]
            for _ in range(flow.leaves[gate]):
                _release_oldest(graph, held, leaving, stream, key, step)
        for row in range(graph.rows_of[step], graph.rows_of[step + 1]):
            stream, key = rows.stream[row], rows.key[row]
            if held.newest[stream, key] != NONE:
                held.newer[held.newest[stream, key]] = row
            held.newest[stream, key] = row
            if held.number[stream, key] == 0:
                held.oldest[stream, key] = row
            if flow.enters[row]:
                held.number[stream, key] += 1
            elif held.number[stream, key] > 0:
                held.number[stream, key] += 1
                _release_oldest(graph, held, leaving, stream, key, step)


@inner
def _release_oldest(graph, held, leaving, stream, key, step):
    """It leaves, or has never entered if this is the step of its arrival."""
    row = held.oldest[stream, key]
    if graph.step_of_row[row] < step:
        leaving[row] = step
    held.number[stream, key] -= 1
    if held.number[stream, key] > 0:
        held.oldest[stream, key] = held.newer[row]
