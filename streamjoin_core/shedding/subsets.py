"""Parts of the join's graph that give many results for a budget: by greed, and the best of all.

Offline Max-Subset (Definition 5 of Ayad and others 2005) asks for the most results such that

    update * (tuples that any of them needs) + production * results <= budget;

its induced form (Definition 6) also wants all results between the tuples that it takes.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.shedding.chances import take_whole
from streamjoin_core.shedding.costs import Costs
from streamjoin_core.shedding.graph import JoinGraph

MOST_EDGES = 3000  # beyond which integer programming takes too long


class Subset(NamedTuple):
    rows: np.ndarray  # bool [row]: which tuples are taken
    results: int
    cost: float


def greedy_subset(graph: JoinGraph, costs: Costs, budget: float) -> Subset:
    """Figure 1: connected parts by results per cost; of the first that does not fit, the cheapest
    edges, where each tuple's cost is shared among all its edges (Eq. 3)."""
    component = graph.component
    nodes = np.bincount(component, graph.degree > 0)
    edges = np.bincount(component, graph.later)
    some = np.flatnonzero(edges)
    part_costs = costs.total(nodes[some], edges[some])
    whole, boundary, left_over = take_whole(edges[some], part_costs, budget)
    is_taken = np.zeros(len(edges), bool)
    is_taken[some[whole]] = True
    rows = is_taken[component] & (graph.degree > 0)
    results, cost = int(edges[is_taken].sum()), float(part_costs[whole].sum())
    if boundary is not None:
        last = np.flatnonzero(component == some[boundary])
        taken, more, spent = _cheapest_edges(graph, last, costs, left_over)
        rows[taken] = True
        results, cost = results + more, cost + spent
    return Subset(rows, results, cost)


def _cheapest_edges(
    graph: JoinGraph, rows: np.ndarray, costs: Costs, budget: float
) -> tuple[np.ndarray, int, float]:
    """Edges of one part in order of their cost until the budget is used up."""
    earlier, later = graph.edges(rows)
    amortised = 1 / graph.degree[earlier] + 1 / graph.degree[later]
    order = np.argsort(amortised, kind="stable")
    ends = np.stack([earlier[order], later[order]], axis=1).ravel()
    is_new = np.zeros(len(ends), np.int64)
    is_new[np.unique(ends, return_index=True)[1]] = 1
    new_nodes = np.cumsum(is_new.reshape(-1, 2).sum(axis=1))
    paid = costs.total(new_nodes, np.arange(1, len(order) + 1))
    number = int(np.searchsorted(paid, budget, side="right"))
    return np.unique(ends[: 2 * number]), number, float(paid[number - 1]) if number else 0.0


def best_subset(graph: JoinGraph, costs: Costs, budget: float, *, induced: bool) -> Subset:
    """The best of all by integer programming (HiGHS), for traces of a few thousand results."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    earlier, later = graph.edges(np.arange(len(graph.row_at)))
    number = len(earlier)
    if number > MOST_EDGES:
        raise InputError(
            f"the join has {number:,} results, and the best subset is found for at most "
            f"{MOST_EDGES:,}: take a part of the trace, or strategy greedy-max-subset"
        )
    nodes, ends = np.unique(np.stack([earlier, later]), return_inverse=True)
    ends = ends.reshape(2, number)
    if not number:
        return Subset(np.zeros(len(graph.row_at), bool), 0, 0.0)
    edge = np.arange(number) + len(nodes)
    rows = np.arange(number)

    def pairs(columns, values) -> coo_array:
        """A constraint for each edge."""
        places = np.concatenate(columns)
        cells = np.repeat(values, number)
        return coo_array((cells, (np.tile(rows, len(columns)), places)), shape=(number, size))

    size = len(nodes) + number
    weights = np.concatenate((np.full(len(nodes), costs.update), np.full(number, costs.production)))
    constraints = [LinearConstraint(weights[None], -np.inf, budget)]
    constraints += [LinearConstraint(pairs([edge, end], [1, -1]), -np.inf, 0) for end in ends]
    if induced:
        both = pairs([ends[0], ends[1], edge], [1, 1, -1])
        constraints.append(LinearConstraint(both, -np.inf, 1))
    gain = np.concatenate((np.zeros(len(nodes)), -np.ones(number)))
    found = milp(
        gain,
        integrality=np.ones(size),
        bounds=Bounds(0, 1),
        constraints=constraints,
        options={"mip_rel_gap": 0.0},
    )
    if found.x is None:
        raise InputError(f"the best subset was not found: {found.message}")
    chosen = found.x > 0.5
    taken = np.zeros(len(graph.row_at), bool)
    edges = chosen[len(nodes) :]
    taken[nodes[chosen[: len(nodes)]]] = True
    results = int(edges.sum())
    return Subset(taken, results, costs.total(int(taken.sum()), results))


def most_results(later: np.ndarray, costs: Costs, budget: float) -> tuple[int, int]:
    """The most results that any shedding can give, and how many tuples must enter for them.

    Only the earlier tuple of a pair must enter, so each tuple counts by itself: to enter costs
    `update`, and its results are `production` each. So the best m are those with the most partners
    to come, and their number is tried out.

    >>> most_results(np.array([5, 3, 0, 1]), Costs(2, 1), 11.0)
    (7, 2)
    """
    to_come = np.concatenate(([0], np.cumsum(np.sort(later)[::-1])))
    left_over = budget - costs.update * np.arange(len(to_come))
    paid = to_come
    if costs.production > 0:
        # Never fewer than can be paid for, whatever the division rounds to.
        paid = np.floor(left_over / costs.production * (1 + 1e-12) + 1e-9)
    results = np.where(left_over >= 0, np.minimum(to_come, paid), -1)
    best = int(np.argmax(results))
    return int(results[best]), best
