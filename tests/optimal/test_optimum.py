"""The optimum is right: by brute force, by other solvers, by replaying it and by its certificate.

SJOIN_EXAMPLES sets the number of cases for the brute force; the other tests run a share of it.
"""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given

from streamjoin_core.errors import InputError
from streamjoin_core.optimal import solve
from streamjoin_core.optimal.benefit import find_benefit
from streamjoin_core.optimal.certificate import certify
from streamjoin_core.optimal.peers import peer_solve
from streamjoin_core.optimal.schedule import make_schedule, streams_of_parts
from tests.optimal.questions import as_join, as_parts, examples, questions
from tests.oracle.best_schedule import benefit, best_total
from tests.oracle.rules import window_pair
from tests.oracle.slow_join import Arrivals


def solve_question(rows, options, **others):
    parts = as_parts(options)
    return solve(as_join(rows, options), [parts], options["objective"], **others)


def applicable_graphs(rows, options):
    """Every graph that can answer the question."""
    join = as_join(rows, options)
    is_equality = options.get("on") == "=" and options.get("band") is None
    counts_pairs = find_benefit(join, options["objective"]).is_equal_for_all
    return ("key", "match") if is_equality and counts_pairs else ("match",)


def is_same(found, expected, rows):
    """Quarters add up exactly; thirds are rounded already when they are combined."""
    if all((4 * row[3]).is_integer() for row in rows):
        return found == expected
    return math.isclose(found, expected, rel_tol=1e-9)


def as_arrivals(rows, options) -> Arrivals:
    return Arrivals(
        rows,
        window_pair(options["window"]),
        options["window_kind"],
        options.get("on", "="),
        options.get("band"),
    )


def pairs_of(rows, options):
    """For each row, the steps and the benefits of the pairs that it could produce."""
    join = as_arrivals(rows, options)
    found = [[] for _ in rows]
    for x, y in join.exact_pairs:
        if join.step_of[y] >= options["warmup"]:
            gain = Fraction(benefit(join, x, y, options["combine"], options["objective"]))
            found[x].append((join.step_of[y], gain))
    return join, found


@examples(1)
@given(questions())
def test_against_brute_force(question):
    rows, options = question
    expected = best_total(rows, **options)
    for graph in applicable_graphs(rows, options):
        solution = solve_question(rows, options, graph=graph)
        (best,) = solution.optima
        assert best.status == "optimal"
        assert is_same(best.lower, expected, rows), graph


@examples(3)
@given(questions(max_rows=40, largest_memory=6))
def test_schedule_replayed_in_plain_python(question):
    rows, options = question
    join, pairs = pairs_of(rows, options)
    for graph in applicable_graphs(rows, options):
        solution = solve_question(rows, options, graph=graph)
        schedule = solution.schedule
        leaving = schedule.leaving_step.tolist()
        held_from_to = [(join.step_of[row], leaving[row]) for row in range(len(rows))]
        assert all(end == -1 or start < end for start, end in held_from_to)
        for size, streams in zip(
            as_parts(options), streams_of_parts(len(as_parts(options))), strict=True
        ):
            for step in range(len(join.steps)):
                held = [
                    row
                    for row, (start, end) in enumerate(held_from_to)
                    if rows[row][1] in streams and start <= step < end
                ]
                assert len(held) <= size
        produced = [
            [gain for step, gain in own if step <= leaving[row]] for row, own in enumerate(pairs)
        ]
        assert schedule.results.tolist() == [len(gains) for gains in produced]
        assert is_same(sum(map(sum, produced)), solution.optima[0].lower, rows)
        assert [
            time
            for time, end in zip(schedule.leaving_time.tolist(), leaving, strict=True)
            if end >= 0
        ] == [join.steps[end][0] for end in leaving if end >= 0]


@examples(3)
@given(questions(max_rows=40, largest_memory=6))
def test_certificate_holds(question):
    rows, options = question
    join, pairs = pairs_of(rows, options)
    for graph in applicable_graphs(rows, options):
        solution = solve_question(rows, options, graph=graph)
        certificate = solution.certificate
        assert certificate.holds
        assert certificate.primal == certificate.dual
        assert solution.benefit.value(certificate.primal) == solution.optima[0].lower
        # The bound once more, from prices and specification alone.
        unit = Fraction(solution.benefit.unit)
        bound = Fraction(0)
        for size, streams, prices in zip(
            as_parts(options),
            streams_of_parts(len(as_parts(options))),
            certificate.prices,
            strict=True,
        ):
            prices = prices.tolist()
            assert len(prices) == len(join.steps)
            assert min(prices, default=0) >= 0
            bound += size * sum(prices) * unit
            for row in range(len(rows)):
                if rows[row][1] in streams:
                    bound += surplus(join.step_of[row], pairs[row], prices, unit)
        assert is_same(float(bound), solution.optima[0].lower, rows)


def surplus(arrival, pairs, prices, unit):
    """The most that a tuple could gain beyond the price of its slot."""
    options = [Fraction(0)]
    for end, _ in pairs:
        gained = sum(gain for step, gain in pairs if step <= end)
        options.append(gained - sum(prices[arrival:end]) * unit)
    return max(options)


@examples(6)
@given(questions(max_rows=40, largest_memory=6))
def test_certificate_sees_through_a_tampered_solution(question):
    rows, options = question
    solution = solve_question(rows, options)
    schedule, prices = solution.schedule, solution.certificate.prices
    assume(schedule.units.max(initial=0) > 0)

    def holds(leaving=schedule.leaving_step, parts=schedule.parts, prices=prices):
        changed = make_schedule(schedule.join, solution.benefit, parts, leaving)
        return certify(changed, solution.benefit, prices).holds

    assert holds()
    dropped = schedule.leaving_step.copy()
    dropped[schedule.units.argmax()] = -1
    assert not holds(leaving=dropped)
    assert not holds(parts=tuple(held - 1 for held in schedule.most_held))
    # Whoever pays more than there is to gain has no surplus left, but the whole memory is dearer.
    dearer = tuple(own.copy() for own in prices)
    for own in dearer:
        own[0] += schedule.units.sum() + 1
    assert not holds(prices=dearer)
    with pytest.raises(InputError, match="negative"):
        holds(prices=tuple(-own for own in dearer))


@examples(10)
@given(questions(max_rows=30, largest_memory=6))
def test_other_solvers_agree(question):
    rows, options = question
    join, parts = as_join(rows, options), as_parts(options)
    solution = solve(join, [parts], options["objective"])
    for graph, solver in product(applicable_graphs(rows, options), ("ortools", "networkx")):
        others = {"solver": solver, "graph": graph}
        if solution.benefit.is_exact:
            peer = peer_solve(join, parts, options["objective"], **others)
            assert peer.value == solution.optima[0].lower
        else:
            with pytest.raises(InputError, match="whole numbers"):
                peer_solve(join, parts, options["objective"], **others)


@examples(6)
@given(questions(max_rows=40, largest_memory=6))
def test_one_solution_has_all_memories(question):
    rows, options = question
    join = as_join(rows, options)
    options["split"] = "shared"
    solution = solve(join, [(8,), (options["mem"],)], options["objective"], keep=(options["mem"],))
    (curve,) = solution.curves
    gains = np.diff(curve)
    assert (gains > 0).all()
    assert (np.diff(gains) <= 1e-9).all()
    kept = solve(join, [(options["mem"],)], options["objective"])
    assert solution.optima[1].lower == kept.optima[0].lower
    assert solution.certificate.holds
    assert solution.certificate.primal == kept.certificate.primal
    assert solution.schedule.most_held[0] <= options["mem"]


@examples(6)
@given(questions(max_rows=40))
def test_empty_memory_gains_nothing(question):
    rows, options = question
    solution = solve(as_join(rows, options), [(0,)], options["objective"])
    assert solution.optima[0].lower == 0
    assert not solution.schedule.enters.any()
    assert solution.certificate.holds
