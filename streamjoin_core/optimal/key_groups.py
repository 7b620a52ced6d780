"""Groups of keys of an equality join, each as a join of its own, solved unit by unit."""

from dataclasses import replace

import numpy as np

from streamjoin_core.engine.joining import Join, prepare_join
from streamjoin_core.engine.rules import COMBINATIONS
from streamjoin_core.optimal.benefit import Benefit
from streamjoin_core.optimal.solver import METHODS
from streamjoin_core.optimal.walk import step_starts


def groups_of_keys(join: Join, number: int) -> list[Join]:
    """The joins of so many groups of keys, each with about as many rows as any other.

    The most frequent keys are dealt out first, each to the next group.
    """
    if number == 1:
        return [join]
    order = np.argsort(-np.bincount(join.rows.key, minlength=join.number_of_keys), kind="stable")
    group_of_key = np.empty(join.number_of_keys, np.int64)
    group_of_key[order] = np.arange(join.number_of_keys) % number
    group_of_row = group_of_key[join.rows.key]
    return [_restrict(join, np.flatnonzero(group_of_row == group)) for group in range(number)]


def _restrict(join: Join, rows: np.ndarray) -> Join:
    """The join of some of the rows."""
    trace, rules = join.trace, join.rules
    keys, key = np.unique(trace.key[rows], return_inverse=True)
    changes = trace.redefinition
    part = replace(
        trace,
        time=trace.time[rows],
        stream=trace.stream[rows],
        key=key.astype(np.int32),
        key_values=trace.key_values[keys],
        importance=None if trace.importance is None else trace.importance[rows],
        redefinition=None if changes is None else replace(changes, kind=changes.kind[rows]),
        value=None,
        group=None,
        group_labels=(),
    )
    return prepare_join(
        part,
        window=tuple(rules.window.tolist()) if join.has_window else None,
        by_tuples=False,
        evict_first=False,
        on=join.on,
        band=join.band,
        combination=COMBINATIONS[rules.combination],
        first_counted=int(np.searchsorted(rows, rules.first_counted)),
    )


class KeyGroup:
    """Some of the keys, with a memory of their own that grows unit by unit."""

    def __init__(
        self, join: Join, benefit: Benefit, graph: str, streams: tuple[int, ...], times: np.ndarray
    ):
        """`times` are those of all steps, of all keys."""
        method = METHODS[graph]
        self._add_units = method.add_units
        self._graph = method.build(join, benefit, streams)
        self._state = method.start(self._graph, max(1, len(join.rows.time)))
        own = join.rows.time[step_starts(join.rows.time)[:-1]]
        self._places = np.searchsorted(times, own)
        self._all_steps = len(times)

    @property
    def units(self) -> int:
        return int(self._state.flow.units[0])

    def add_unit(self) -> int:
        """What one more unit gains."""
        units = self.units
        if self._graph.number_of_steps == 0:
            return 0
        self._add_units(self._state, units + 1)
        return int(self._state.flow.gains[units]) if self.units > units else 0

    def own_prices(self) -> np.ndarray:
        """At each of its own steps."""
        rent = -self._state.flow.potential[: self._graph.number_of_steps]
        return np.diff(rent, append=rent[-1])

    def prices(self) -> np.ndarray:
        """At each step of all keys: rents between its own steps grow evenly."""
        rent = np.cumsum(self.own_prices()[:-1].astype(float))
        everywhere = np.interp(np.arange(self._all_steps + 1), self._places, np.append(0.0, rent))
        return np.diff(everywhere)
