"""Solving one part of the memory unit by unit, so that one can see how far it is and stop it."""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.joining import Join
from streamjoin_core.optimal.benefit import Benefit
from streamjoin_core.optimal.key_flow import KeyFlow, add_key_units, new_key_state
from streamjoin_core.optimal.key_graph import KeyGraph, key_graph
from streamjoin_core.optimal.leaving import leaving_on_key_graph, leaving_on_match_graph
from streamjoin_core.optimal.match_flow import MatchFlow, add_match_units, new_match_state
from streamjoin_core.optimal.match_graph import MatchGraph, match_graph

_LONGEST_CALL = 0.1  # seconds that several units may take together: nobody is heard meanwhile


class _Method(NamedTuple):
    build: Callable
    start: Callable
    add_units: Callable
    leaving: Callable


METHODS = {
    "key": _Method(
        lambda join, benefit, streams: key_graph(join, streams),
        new_key_state,
        add_key_units,
        leaving_on_key_graph,
    ),
    "match": _Method(match_graph, new_match_state, add_match_units, leaving_on_match_graph),
}


class PartSolver:
    """A part of the memory, which holds tuples of some streams, and its best flow so far.

    It is solved for all memories up to `largest`. The flow for a memory of `kept` units is set
    aside, for schedule and prices to be taken from it.
    """

    def __init__(
        self,
        join: Join,
        benefit: Benefit,
        kind: str,
        streams: tuple[int, ...],
        largest: int,
        kept: int,
    ):
        self.join, self.streams = join, streams
        # More units than rows gain nothing. The first one is asked for its prices in any case.
        self.largest = max(1, min(largest, len(join.rows.time)))
        self._kept = kept
        self._method = METHODS[kind]
        self.graph: KeyGraph | MatchGraph = self._method.build(join, benefit, streams)
        self._state = self._method.start(self.graph, self.largest)
        self._set_aside: KeyFlow | MatchFlow | None = None
        self._is_exhausted = self.graph.number_of_steps == 0
        self._at_once = 1

    @property
    def units(self) -> int:
        """For how much memory it is solved."""
        return int(self._state.flow.units[0])

    @property
    def is_done(self) -> bool:
        return self._is_exhausted or self.units >= self.largest

    def curve(self) -> np.ndarray:
        """The optimum, in units of benefit, for each memory from 0 on, as far as it is solved."""
        return np.concatenate(([0], np.cumsum(self._state.flow.gains[: self.units])))

    def bounds(self, size: int) -> tuple[int, int]:
        """Bounds on the optimum for a memory of any size; equal as far as it is solved."""
        curve = self.curve()
        lower = int(curve[min(size, self.units)])
        missing = 0 if self._is_exhausted else max(0, size - self.units)
        if missing == 0:
            return lower, lower
        everything = self._total()
        if self.units == 0:
            return lower, everything
        return lower, min(everything, lower + missing * int(curve[-1] - curve[-2]))

    def _total(self) -> int:
        """The gain of unlimited memory."""
        if isinstance(self.graph, MatchGraph):
            return self.graph.total_gain
        is_held = np.isin(self.join.rows.stream, self.streams)
        return int(self.join.unlimited.future[is_held].sum(dtype=np.int64))

    def advance(self) -> None:
        """Add a unit of memory, or more if they are found quickly."""
        flow, units = self._state.flow, self.units
        if units == self._kept:
            self._set_aside = _copy(flow)
        until = min(units + self._at_once, self.largest)
        if units < self._kept:
            until = min(until, self._kept)
        start = time.perf_counter()
        self._method.add_units(self._state, until)
        if time.perf_counter() - start < _LONGEST_CALL / 2:
            self._at_once *= 2
        self._is_exhausted = self.units < until
        if self._kept == units == 0:
            self._set_aside.potential[:] = flow.potential

    def leaving(self) -> np.ndarray:
        """Per row the step after whose probe it leaves the kept memory; -1 if it never enters."""
        return self._method.leaving(self.join, self.graph, self._flow)

    def prices(self) -> np.ndarray:
        """What a slot of the kept memory is worth from each step to the next, in units."""
        labels = self._flow.potential[: self.graph.number_of_steps]
        return np.append(labels[:-1] - labels[1:], np.zeros(min(1, len(labels)), np.int64))

    @property
    def _flow(self) -> KeyFlow | MatchFlow:
        return self._state.flow if self._set_aside is None else self._set_aside


def _copy(flow: KeyFlow | MatchFlow) -> KeyFlow | MatchFlow:
    return type(flow)(*(column.copy() for column in flow))
