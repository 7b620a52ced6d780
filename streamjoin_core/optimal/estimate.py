"""What a solve will take, before anything is built.

The sizes of the match graph are exact. Those of the key graph are for as many gates as arrivals,
of which there may be fewer. Bytes and seconds are estimates: what a solve took on one core of a
cloud machine, per part of the graph, in the middle of what was measured. Seconds vary most, by
about a factor of two, and a solve is over sooner if less memory than asked for holds everything.
"""

import re
from dataclasses import dataclass

import numpy as np

from streamjoin_core.engine.joining import Join
from streamjoin_core.errors import InputError
from streamjoin_core.optimal.benefit import Benefit
from streamjoin_core.optimal.schedule import streams_of_parts
from streamjoin_core.optimal.walk import step_starts

_SIZE = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?) ?([kMGT]?)i?B?", re.IGNORECASE)
_PREFIXES = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


@dataclass(frozen=True)
class _Cost:
    bytes_per_row: float
    bytes_per_node: float
    seconds_per_node: float  # to build
    seconds_per_visit: float  # of a node by a unit of memory


_COSTS = {
    "key": _Cost(50, 50, 2e-7, 6e-8),
    "match": _Cost(60, 12, 4e-8, 7e-9),
}


@dataclass(frozen=True)
class Estimate:
    """Of one solve for all memories."""

    graph: str
    nodes: int
    arcs: int
    units: int  # of memory that are added one by one
    bytes: int
    seconds: float


def estimate(join: Join, benefit: Benefit, graph: str, wanted: tuple[tuple[int, ...], ...]):
    """For the memories wanted, given by the sizes of their parts."""
    rows = len(join.rows.time)
    steps = len(step_starts(join.rows.time)) - 1
    cost = _COSTS[graph]
    nodes = arcs = units = 0
    seconds = 0.0
    largest = [max(sizes) for sizes in zip(*wanted, strict=True)]
    for size, streams in zip(largest, streams_of_parts(len(largest)), strict=True):
        own_nodes, own_arcs = _sizes(join, graph, streams, steps)
        own_units = min(size, rows)
        nodes += own_nodes
        arcs += own_arcs
        units += own_units
        visits = own_nodes * own_units
        seconds += own_nodes * cost.seconds_per_node + visits * cost.seconds_per_visit
    weighs = 1 if benefit.is_equal_for_all else 2  # gains are wider then, and differ
    memory = rows * len(largest) * cost.bytes_per_row + nodes * cost.bytes_per_node * weighs
    return Estimate(graph, nodes, arcs, units, int(memory), seconds * weighs)


def _sizes(join: Join, graph: str, streams: tuple[int, ...], steps: int) -> tuple[int, int]:
    """Nodes and arcs of the graph for a memory part that holds tuples of these streams."""
    is_held = np.isin(join.rows.stream, streams)
    future = join.unlimited.future[is_held]
    idle = max(0, steps - 1)
    if graph == "match":
        pairs = int(future.sum(dtype=np.int64))
        return steps + pairs, idle + 2 * pairs
    entries = int(np.count_nonzero(future))
    gates = int(np.count_nonzero(np.isin(1 - join.rows.stream, streams))) if entries else 0
    return steps + gates, idle + entries + 2 * gates


def parse_bytes(given: str | int | None) -> int | None:
    """A size of memory such as 2GB.

    >>> parse_bytes("2GB"), parse_bytes("1.5 MB"), parse_bytes(1000), parse_bytes(None)
    (2000000000, 1500000, 1000, None)
    """
    if given is None:
        return None
    found = _SIZE.fullmatch(str(given).strip())
    size = int(float(found[1]) * _PREFIXES[found[2].upper()]) if found else 0
    if size < 1:
        raise InputError(f"{given!r} is no size of memory: give one such as 500MB or 2GB")
    return size


def format_bytes(number: int) -> str:
    """A size as a person reads it.

    >>> format_bytes(2_340_000_000), format_bytes(80_000), format_bytes(5)
    ('2.3 GB', '80.0 kB', '5 B')
    """
    for prefix, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.1f} {prefix}B"
    return f"{number} B"
