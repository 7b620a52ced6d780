"""A flow problem as a plain list of arcs, as other solvers take it."""

from typing import NamedTuple

import numpy as np

UNLIMITED = -1


class Arcs(NamedTuple):
    """Slots of memory go from the first step to the last; the most gain is wanted."""

    tail: np.ndarray  # int64 [arc]
    head: np.ndarray  # int64 [arc]
    capacity: np.ndarray  # int64 [arc], or UNLIMITED
    gain: np.ndarray  # int64 [arc]: of each slot
    first_step: int  # node
    last_step: int  # node


def collect_arcs(number_of_steps: int, *kinds: tuple) -> Arcs:
    """All arcs, from kinds given as (tails, heads, capacities, gains), the latter two also as one.

    Nodes are the steps, then whatever the graph has besides.
    """
    steps = np.arange(number_of_steps)
    idle = (steps[:-1], steps[1:], UNLIMITED, 0)
    columns = zip(*(np.broadcast_arrays(*kind) for kind in (idle, *kinds)), strict=True)
    together = (np.concatenate(column).astype(np.int64) for column in columns)
    return Arcs(*together, 0, number_of_steps - 1)
