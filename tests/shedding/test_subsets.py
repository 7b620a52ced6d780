"""The join's graph, and subsets of it: greed against the best, and the best against all."""

import os
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from streamjoin_core.engine.joining import prepare_join
from streamjoin_core.shedding.costs import Costs
from streamjoin_core.shedding.graph import join_graph
from streamjoin_core.shedding.subsets import best_subset, greedy_subset, most_results
from tests.oracle.slow_join import Arrivals
from tests.oracle.strategies import dense_traces, traces, windows
from tests.test_against_oracle import as_trace

EXAMPLES = int(os.environ.get("SJOIN_EXAMPLES", "600"))


def examples(share):
    return settings(max_examples=max(1, EXAMPLES // share), deadline=None, derandomize=True)


@st.composite
def graphs(draw, max_rows=40) -> tuple:
    """The graph of a join, and its edges one by one."""
    rows = draw(st.one_of(dense_traces(), dense_traces(), traces(max_rows)))[:max_rows]
    rows = rows if any(row[1] == 0 for row in rows) else []
    window, kind = draw(st.one_of(st.just(8), windows())), draw(st.sampled_from(["time", "tuples"]))
    pair = window if isinstance(window, tuple) else (window, window)
    join = prepare_join(
        as_trace(rows),
        window=pair,
        by_tuples=kind == "tuples",
        evict_first=False,
        on="=",
        band=None,
        combination="min",
        first_counted=0,
    )
    return join_graph(join), Arrivals(rows, pair, kind, "=", None).exact_pairs


@st.composite
def questions(draw, max_rows=16) -> tuple:
    graph, edges = draw(graphs(max_rows))
    costs = Costs(*draw(st.sampled_from([(1, 1), (2, 0.5), (0.5, 2), (1, 0)])))
    share = draw(st.sampled_from([0.2, 0.5, 0.8, 1.0]))
    return graph, edges, costs, share * graph.cost(costs)


def connected(edges, rows) -> set:
    """The sets of rows that edges connect, each row at least with itself."""
    parts = {row: {row} for row in range(rows)}
    for one, other in edges:
        whole = parts[one] | parts[other]
        for row in whole:
            parts[row] = whole
    return {frozenset(part) for part in parts.values()}


@examples(2)
@given(graphs())
def test_graph(case):
    graph, edges = case
    rows = len(graph.row_at)
    assert sorted(zip(*map(list, graph.edges(np.arange(rows))), strict=True)) == sorted(edges)
    degree = [sum(row in edge for edge in edges) for row in range(rows)]
    assert graph.degree.tolist() == degree
    found = {}
    for row, number in enumerate(graph.component.tolist()):
        found.setdefault(number, set()).add(row)
    assert {frozenset(part) for part in found.values()} == connected(edges, rows)


def best_of_all(edges, costs, budget, *, induced) -> int:
    """Try every set of tuples; without `induced` any number of the edges between them will do."""
    nodes = sorted({row for edge in edges for row in edge})
    best = 0
    for size in range(len(nodes) + 1):
        for chosen in map(set, combinations(nodes, size)):
            inside = sum(chosen >= set(edge) for edge in edges)
            left_over = budget - costs.update * size
            if left_over < -1e-9:
                continue
            paid = inside if not costs.production else int(left_over / costs.production + 1e-9)
            if not induced or paid >= inside:
                best = max(best, min(inside, paid))
    return best


@examples(12)
@given(questions(11))
def test_best_subsets_are_the_best_of_all(question):
    graph, edges, costs, budget = question
    for induced in (False, True):
        found = best_subset(graph, costs, budget, induced=induced)
        assert found.results == best_of_all(edges, costs, budget, induced=induced)
        assert found.cost <= budget + 1e-6
        inside = sum(found.rows[x] and found.rows[y] for x, y in edges)
        assert found.results == inside if induced else found.results <= inside


@examples(8)
@given(questions(24))
def test_greed_is_within_the_budget_and_no_better_than_the_best(question):
    graph, edges, costs, budget = question
    greedy = greedy_subset(graph, costs, budget)
    best = best_subset(graph, costs, budget + 1e-6, induced=False)
    induced = best_subset(graph, costs, budget, induced=True)
    assert greedy.cost <= budget + 1e-9
    assert greedy.results <= best.results
    assert induced.results <= best.results
    bound, _ = most_results(graph.later, costs, budget + 1e-6)
    assert best.results <= bound
    if budget >= graph.cost(costs):
        assert greedy.results == len(edges)


@examples(4)
@given(
    st.lists(st.integers(0, 6), max_size=8),
    st.sampled_from([(1, 1), (2, 0.5), (0.5, 2), (1, 0), (0, 1)]),
    st.sampled_from([0.5, 2.0, 5.0, 12.0]),
)
def test_most_results(later, costs, budget):
    costs = Costs(*costs)
    best = 0
    for size in range(len(later) + 1):
        for entering in combinations(later, size):
            left_over = budget - costs.update * size
            if left_over >= 0:
                paid = left_over / costs.production if costs.production else np.inf
                best = max(best, min(sum(entering), paid))
    assert most_results(np.array(later, np.int32), costs, budget)[0] == int(best)
