"""The same graphs solved by others: an independent check, much slower.

Both take whole numbers only, and neither refuses others: OR-tools cuts off fractions without a
word, and networkx may go on for ever. So benefits that are not whole numbers of units are refused.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np

from streamjoin_core.engine.joining import Join
from streamjoin_core.errors import InputError
from streamjoin_core.optimal.arcs import UNLIMITED, Arcs
from streamjoin_core.optimal.benefit import find_benefit
from streamjoin_core.optimal.schedule import streams_of_parts
from streamjoin_core.optimal.solution import choose_graph
from streamjoin_core.optimal.solver import METHODS
from streamjoin_core.options import one_of

_MOST_ARCS_FOR_NETWORKX = 20_000


@dataclass(frozen=True)
class PeerSolution:
    value: int | float
    graph: str  # key or match
    seconds_to_solve: float


def peer_solve(
    join: Join,
    parts: tuple[int, ...],
    objective: str = "results",
    *,
    solver: str = "ortools",
    graph: str = "auto",
) -> PeerSolution:
    """The optimum for one memory by another solver, on the graphs that `solve` would take."""
    one_of("solver", solver, PEERS)
    benefit = find_benefit(join, objective)
    if not benefit.is_exact:
        raise InputError(
            f"{solver} takes whole numbers only, and these importances are no multiples of a unit "
            "that is coarse enough: round them, or take our own solver"
        )
    kind = choose_graph(join, benefit, graph)
    total, seconds = 0, 0.0
    for size, streams in zip(parts, streams_of_parts(len(parts)), strict=True):
        arcs = METHODS[kind].build(join, benefit, streams).arcs()
        if size > 0 and len(arcs.tail) > 0:
            gain, taken = PEERS[solver](arcs, size)
            total += gain
            seconds += taken
    return PeerSolution(benefit.value(total), kind, seconds)


def solve_with_ortools(arcs: Arcs, mem: int) -> tuple[int, float]:
    """The largest gain, in units, by OR-tools' SimpleMinCostFlow, and its seconds."""
    flow = _load("ortools.graph.python.min_cost_flow").SimpleMinCostFlow()
    capacity = np.where(arcs.capacity == UNLIMITED, mem, arcs.capacity)
    added = flow.add_arcs_with_capacity_and_unit_cost(arcs.tail, arcs.head, capacity, -arcs.gain)
    flow.set_node_supply(arcs.first_step, mem)
    flow.set_node_supply(arcs.last_step, -mem)
    start = time.perf_counter()
    status = flow.solve()
    seconds = time.perf_counter() - start
    if status != flow.OPTIMAL:
        # Whatever it says about cost and flow is not to be read then.
        raise InputError(f"OR-tools cannot solve this graph: its status is {status.name}")
    used = flow.flows(added)
    gaining = np.flatnonzero((used > 0) & (arcs.gain != 0))
    pairs = zip(used[gaining].tolist(), arcs.gain[gaining].tolist(), strict=True)
    return sum(slots * gain for slots, gain in pairs), seconds


def solve_with_networkx(arcs: Arcs, mem: int) -> tuple[int, float]:
    """The largest gain, in units, by networkx's network_simplex, and its seconds."""
    if len(arcs.tail) > _MOST_ARCS_FOR_NETWORKX:
        raise InputError(
            f"networkx takes too long for {len(arcs.tail):,} arcs: it is for small traces, with at "
            f"most {_MOST_ARCS_FOR_NETWORKX:,}"
        )
    networkx = _load("networkx")
    graph = networkx.MultiDiGraph()
    for tail, head, capacity, gain in zip(*(column.tolist() for column in arcs[:4]), strict=True):
        limit = mem if capacity == UNLIMITED else capacity
        graph.add_edge(tail, head, capacity=limit, weight=-gain)
    graph.nodes[arcs.first_step]["demand"] = -mem
    graph.nodes[arcs.last_step]["demand"] = mem
    start = time.perf_counter()
    cost, _ = networkx.network_simplex(graph)
    return -cost, time.perf_counter() - start


PEERS: dict[str, Callable[[Arcs, int], tuple[int, float]]] = {
    "ortools": solve_with_ortools,
    "networkx": solve_with_networkx,
}


def _load(module: str):
    try:
        return import_module(module)
    except ImportError:
        package = module.split(".")[0]
        raise InputError(f"{package} is not installed: pip install 'sjoin[check]'") from None
