"""How solving behaves: what is refused, what stops it, and what it says of itself."""

import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from streamjoin_core.errors import InputError
from streamjoin_core.optimal import solve
from streamjoin_core.optimal.arcs import Arcs
from streamjoin_core.optimal.benefit import find_benefit
from streamjoin_core.optimal.peers import peer_solve, solve_with_networkx, solve_with_ortools
from streamjoin_core.optimal.prices import surpluses
from tests.optimal.questions import as_join

ROOT = Path(__file__).parents[2]


def random_join(number=400, keys=8, seed=0, importance=lambda rng: 1.0, **options):
    """Two arrivals per step; the memory that it needs in full is some 30 tuples."""
    rng = np.random.default_rng(seed)
    rows = [
        (row // 2, row % 2, int(rng.integers(keys)), float(importance(rng)), None)
        for row in range(number)
    ]
    return as_join(rows, {"window": 30, **options})


def test_evict_first_is_no_flow_problem():
    join = random_join()
    evict_first = replace(join, rules=join.rules._replace(evict_first=True))
    with pytest.raises(InputError, match=r"probe-first: .* two cached"):
        solve(evict_first, [(3,)])


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match="objective 'recall' is unknown"):
        solve(random_join(), [(3,)], "recall")
    with pytest.raises(InputError, match="graph 'papers' is unknown"):
        solve(random_join(), [(3,)], graph="papers")
    with pytest.raises(InputError, match="solver 'gurobi' is unknown"):
        peer_solve(random_join(), (3,), solver="gurobi")


@pytest.mark.parametrize("options", [{"on": "<"}, {"band": (0, 1)}])
def test_key_graph_is_for_equality(options):
    join = random_join(**options)
    assert solve(join, [(3,)]).graph == "match"
    with pytest.raises(InputError, match="key graph"):
        solve(join, [(3,)], graph="key")


def test_graph_is_chosen_by_objective():
    join = random_join(importance=lambda rng: rng.integers(5))
    assert solve(join, [(3,)]).graph == "key"
    assert solve(join, [(3,)], "importance").graph == "match"
    assert solve(random_join(), [(3,)], "importance").graph == "key"


@pytest.mark.parametrize(("combine", "weight"), [("min", 1), ("sum", 2)])
def test_importance_without_importances_counts_pairs(combine, weight):
    join = random_join(combine=combine)
    results, importance = (
        solve(join, [(3,)], what).optima[0] for what in ("results", "importance")
    )
    assert importance.lower == weight * results.lower
    assert isinstance(importance.lower, float)
    assert isinstance(results.lower, int)


@pytest.mark.parametrize("graph", ["key", "match"])
def test_time_limit_leaves_bounds(graph):
    join = random_join()
    truth = solve(join, [(10,)], graph=graph).optima[0].lower
    stopped = solve(join, [(10,)], graph=graph, deadline=0)
    (best,) = stopped.optima
    assert (stopped.units, best.status, best.lower) == ((0,), "bound", 0)
    assert best.upper == join.unlimited.pairs[0] > truth
    assert truth <= stopped.certificate.dual <= best.upper
    assert not stopped.certificate.holds


@pytest.mark.parametrize("graph", ["key", "match"])
@pytest.mark.parametrize("parts", [(12,), (6, 6)])
def test_interrupt_leaves_what_was_found(graph, parts):
    join = random_join()
    truth = solve(join, [parts], graph=graph).optima[0].lower

    def interrupt(what, done, total):
        if done > 0:
            raise KeyboardInterrupt

    stopped = solve(join, [parts], graph=graph, may_stop=True, progress=interrupt)
    (best,) = stopped.optima
    assert best.status == "bound"
    assert 0 < best.lower < truth <= best.upper
    assert sum(stopped.units) < sum(parts)
    assert stopped.schedule.results.sum() == stopped.certificate.primal == best.lower
    assert stopped.certificate.dual == best.upper
    # What is solved is exact, also for smaller memories.
    assert stopped.optimum(stopped.units).status == "optimal"


def test_stops_where_more_memory_gains_nothing():
    join = random_join()
    solution = solve(join, [(10**9,)])
    assert solution.units[0] < 100
    (best,) = solution.optima
    assert (best.status, best.lower) == ("optimal", join.unlimited.pairs[0])
    assert solution.certificate.holds
    assert not solution.certificate.prices[0].any()


def test_corrections_that_wait_change_nothing():
    """The walk that goes on to the end before it goes back, which no sane trace ever needs."""
    code = """
from streamjoin_core.optimal import key_flow, solve
from tests.optimal.test_solving import random_join
key_flow._PATIENCE = 0
print([best.lower for best in solve(random_join(120), [(3,), (6,)]).optima])
"""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    expected = [best.lower for best in solve(random_join(120), [(3,), (6,)]).optima]
    assert done.stdout.split() == str(expected).split()


def test_progress_counts_units():
    calls = []
    solve(random_join(), [(8,)], progress=lambda *call: calls.append(call))
    done = [done for what, done, total in calls if what == "adding memory"]
    assert done == sorted(done)
    assert calls[-1] == ("adding memory", 8, 8)


@pytest.mark.parametrize("rows", [[], [(1, 0, "a", 1.0, None)], [(1, 0, "a", 0.0, None)] * 3])
@pytest.mark.parametrize("objective", ["results", "importance"])
def test_nothing_to_gain(rows, objective):
    join = as_join(rows, {})
    for parts in ((2,), (1, 1)):
        solution = solve(join, [parts], objective)
        assert solution.optima[0].lower == 0
        assert solution.certificate.holds
        assert not solution.schedule.enters.any()
        for solver in ("ortools", "networkx"):
            assert peer_solve(join, parts, objective, solver=solver).value == 0


def test_extreme_importances_are_neither_cut_off_nor_wrapped_around():
    for low, high in ((1e-250, 1e-249), (1e299, 1e300), (1e-12, 1e12)):
        join = random_join(importance=lambda rng, low=low, high=high: rng.uniform(low, high))
        solution = solve(join, [(5,)], "importance")
        assert solution.certificate.holds
        assert math.isclose(
            solution.schedule.importance.sum(), solution.optima[0].lower, rel_tol=1e-9
        )
        assert solution.optima[0].lower > join.exact_importance[0, 0] / 50


@pytest.mark.filterwarnings("ignore:overflow")  # where the engine is run as plain Python
@pytest.mark.parametrize(("importance", "problem"), [(1e308, "too large"), (1e-310, "too small")])
def test_importances_that_do_not_add_up_are_refused(importance, problem):
    with pytest.raises(InputError, match=problem):
        solve(random_join(importance=lambda rng: importance), [(5,)], "importance")


def test_other_solvers_refuse_what_they_would_cut_off():
    join = random_join(importance=lambda rng: rng.random())
    assert not find_benefit(join, "importance").is_exact
    for solver in ("ortools", "networkx"):
        with pytest.raises(InputError, match="whole numbers only"):
            peer_solve(join, (3,), "importance", solver=solver)


def test_ortools_is_not_read_after_a_failure():
    # A cost that is out of its range.
    arcs = Arcs(*(np.array([value]) for value in (0, 1, 1, 2**62)), 0, 1)
    with pytest.raises(InputError, match="OR-tools cannot solve this graph"):
        solve_with_ortools(arcs, 1)


def test_networkx_is_for_small_graphs():
    arcs = solve(random_join(6000), [(1,)]).solvers[0].graph.arcs()
    with pytest.raises(InputError, match="networkx takes too long for"):
        solve_with_networkx(arcs, 1)


def test_prices_are_checked():
    join = random_join()
    benefit = find_benefit(join, "results")
    for prices, problem in (
        (np.zeros(3, np.int64), "one for each step"),
        (np.zeros(200), "whole numbers"),
        (np.full(200, -1), "negative"),
        (np.full(200, 2**60), "too large"),
    ):
        with pytest.raises(InputError, match=problem):
            surpluses(join, benefit, prices)


def test_sizes_are_those_of_the_arcs():
    for graph in ("key", "match"):
        (solver,) = solve(random_join(), [(1,)], graph=graph).solvers
        arcs = solver.graph.arcs()
        assert len(arcs.tail) == solver.graph.number_of_arcs
        assert len(np.union1d(arcs.tail, arcs.head)) == solver.graph.number_of_nodes
