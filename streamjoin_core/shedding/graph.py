"""The join as a graph: tuples are its nodes, results its edges, and no edge is looked at by itself.

The partners that a tuple of an equality join meets while it waits are neighbours in the order of
stream, key and row: a range of places. So degrees are differences of counts, and whatever such a
range covers is connected.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from streamjoin_core.engine.joining import Join
from streamjoin_core.shedding.costs import Costs


@dataclass(frozen=True, eq=False)
class JoinGraph:
    """Nodes are rows; places are positions in the order of stream, key and row."""

    row_at: np.ndarray  # int64 [place]
    first: np.ndarray  # int64 [row]: the place of the first partner that comes while it waits
    end: np.ndarray  # int64 [row]: the place after the last one

    @cached_property
    def later(self) -> np.ndarray:
        """Partners that come while a row waits."""
        return self.end - self.first

    @cached_property
    def degree(self) -> np.ndarray:
        """Partners of a row, earlier and later ones."""
        met = _cover(self.first, self.end, len(self.row_at))
        degree = self.later.copy()
        degree[self.row_at] += met
        return degree

    @cached_property
    def component(self) -> np.ndarray:
        """A number for each row, the same for all that are connected."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        rows = len(self.row_at)
        has_any = self.later > 0
        # Each range makes its places one block; a row is linked to the block that it meets.
        is_linked = _cover(self.first[has_any], self.end[has_any] - 1, rows) > 0
        block_at = np.cumsum(np.concatenate(([0], ~is_linked[:-1])))[:rows]
        block = np.empty(rows, np.int64)
        block[self.row_at] = block_at
        blocks = int(block_at[-1]) + 1 if rows else 0
        ends = (block[has_any], block_at[self.first[has_any]])
        links = coo_array((np.ones(has_any.sum(), bool), ends), shape=(blocks, blocks))
        return connected_components(links, directed=False)[1][block]

    def edges(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The earlier and the later row of each result for which these rows wait."""
        number = self.later[rows]
        earlier = np.repeat(rows, number)
        starts = np.cumsum(number) - number
        places = np.arange(number.sum()) - np.repeat(starts - self.first[rows], number)
        return earlier, self.row_at[places]

    def cost(self, costs: Costs) -> float:
        """What all of it costs."""
        return costs.total(np.count_nonzero(self.degree), self.later.sum())


def _cover(first: np.ndarray, end: np.ndarray, places: int) -> np.ndarray:
    """How many of the ranges cover each place."""
    change = np.bincount(first, minlength=places + 1) - np.bincount(end, minlength=places + 1)
    return np.cumsum(change)[:places]


def join_graph(join: Join) -> JoinGraph:
    """The graph of an equality join, whatever the warm-up."""
    rows, keys = join.rows, join.number_of_keys
    number = len(rows.time)
    bucket = rows.key.astype(np.int64) + rows.stream.astype(np.int64) * keys
    row_at = np.argsort(bucket, kind="stable")
    order = bucket[row_at] * (number + 1) + row_at
    partners = np.where(rows.stream == 0, bucket + keys, bucket - keys)
    is_start = np.concatenate(([True], rows.time[1:] != rows.time[:-1]))[:number]
    start_of_step = np.append(np.flatnonzero(is_start), number)
    step = np.cumsum(is_start) - 1
    first_row = start_of_step[step + 1]
    end_row = np.empty(number, np.int64)
    for stream in range(2):
        own = np.flatnonzero(rows.stream == stream)
        end_row[own] = start_of_step[_last_step(join, stream, own, start_of_step)]
    places = [
        np.searchsorted(order, partners * (number + 1) + bound)
        for bound in (first_row, np.maximum(first_row, end_row))
    ]
    return JoinGraph(row_at, *places)


def _last_step(join: Join, stream: int, own: np.ndarray, start_of_step: np.ndarray) -> np.ndarray:
    """The step after the last one at which each of a stream's rows can be met."""
    rows, rules = join.rows, join.rules
    if rules.by_tuples:
        # A window of tuples has moved on by those that came in steps before.
        clock, since = np.searchsorted(own, start_of_step[:-1]), np.arange(len(own))
    else:
        clock, since = rows.time[start_of_step[:-1]], rows.time[own]
    return np.searchsorted(clock, since + rules.window[stream], side="right")
