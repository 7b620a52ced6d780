"""The best chances against brute force, and Theorems 2 and 3: INP <= CF <= PNI."""

import os
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from streamjoin_core.shedding.chances import (
    Load,
    coin_flipping,
    coin_flipping_by_key,
    fill,
    insert_no_probe,
    probe_no_insert,
    probe_no_insert_by_key,
)
from streamjoin_core.shedding.costs import Costs

EXAMPLES = int(os.environ.get("SJOIN_EXAMPLES", "600"))
GRID = np.linspace(0, 1, 201)
ROUNDING = 1e-9

amounts = st.floats(0.01, 100)


def examples(share):
    return settings(max_examples=max(1, EXAMPLES // share), deadline=None, derandomize=True)


@st.composite
def questions(draw) -> tuple:
    """A load of two streams, costs, and a budget that may be too little or enough."""
    rates = (draw(amounts), draw(amounts))
    selectivity = draw(st.floats(0.001, 1))
    gains = tuple(selectivity * rates[0] * rates[1] * draw(amounts) for _ in range(2))
    costs = Costs(*draw(st.sampled_from([(1, 1), (1, 0.01), (0.01, 1), (0, 1), (1, 0), (3, 0.5)])))
    load = Load(rates, gains)
    full = costs.total(sum(rates), sum(gains))
    return load, costs, full * draw(st.sampled_from([0.001, 0.1, 0.4, 0.7, 0.95, 1.0, 1.5]))


def cost_of(load, costs, entering, output) -> float:
    return costs.total(np.dot(load.arrivals, entering), output)


@examples(1)
@given(questions())
def test_theorems_2_and_3(question):
    load, costs, budget = question
    inp, cf, pni = (
        solve(load, costs, budget) for solve in (insert_no_probe, coin_flipping, probe_no_insert)
    )
    slack = ROUNDING * sum(load.gains)
    assert inp.output <= cf.output + slack
    assert cf.output <= pni.output + slack
    full = cost_of(load, costs, (1, 1), sum(load.gains))
    if full <= budget:
        assert inp.output == cf.output == sum(load.gains)
        np.testing.assert_allclose(pni.output, cf.output)
    elif full > budget * (1 + 1e-6) and costs.update > 0 and costs.production > 0:
        # Strictly, where the join does not fit.
        assert inp.output < cf.output < pni.output


@examples(2)
@given(questions())
def test_chances_are_within_the_budget_and_as_good_as_any_of_a_grid(question):
    load, costs, budget = question
    left, right = np.meshgrid(GRID, GRID)
    everything, (of_left, of_right) = sum(load.gains), load.gains
    entering = load.arrivals[0] * left + load.arrivals[1] * right
    for solve, output, tuples in (
        (coin_flipping, everything * left * right, entering),
        (insert_no_probe, of_right * left + of_left * right, sum(load.arrivals)),
        (probe_no_insert, of_left * left + of_right * right, entering),
    ):
        found = solve(load, costs, budget)
        assert 0 <= found.left <= 1
        assert 0 <= found.right <= 1
        is_allowed = costs.total(tuples, output) <= budget
        best = output[is_allowed].max(initial=0)
        assert found.output >= best * (1 - ROUNDING), solve.__name__
        # No more than it is worth, and than can be paid for.
        x = (found.left, found.right)
        worth = {
            coin_flipping: everything * x[0] * x[1],
            insert_no_probe: of_right * x[0] + of_left * x[1],
            probe_no_insert: of_left * x[0] + of_right * x[1],
        }[solve]
        np.testing.assert_allclose(found.output, worth, rtol=1e-9, atol=1e-12)
        if found.output > 0:
            entered = (1, 1) if solve is insert_no_probe else x
            assert cost_of(load, costs, entered, worth) <= budget * (1 + 1e-9)


@st.composite
def keyed_questions(draw, most_keys=3) -> tuple:
    keys = draw(st.integers(1, most_keys))
    frequency = np.array([[draw(st.integers(0, 4)) for _ in range(keys)] for _ in range(2)], float)
    frequency = (frequency + 0.1) / (frequency + 0.1).sum(axis=1, keepdims=True)
    rates = np.array([draw(amounts), draw(amounts)])
    window = np.array([draw(amounts), draw(amounts)])
    arrivals = rates[:, None] * frequency
    gains = arrivals * arrivals[::-1] * window[:, None]
    costs = Costs(*draw(st.sampled_from([(1, 1), (1, 0.01), (0.01, 1), (3, 0.5)])))
    full = costs.total(arrivals.sum(), gains.sum())
    return arrivals, gains, costs, full * draw(st.sampled_from([0.05, 0.3, 0.6, 0.9, 1.2]))


@examples(4)
@given(keyed_questions())
def test_chances_by_key(question):
    """By key nobody does worse than by stream, and probe-no-insert stays the best."""
    arrivals, gains, costs, budget = question
    load = Load(tuple(arrivals.sum(axis=1)), tuple(gains.sum(axis=1)))
    pni, cf = (
        solve(arrivals, gains, costs, budget)
        for solve in (probe_no_insert_by_key, coin_flipping_by_key)
    )
    slack = ROUNDING * gains.sum()
    assert pni.output >= probe_no_insert(load, costs, budget).output - slack
    assert cf.output >= coin_flipping(load, costs, budget).output - slack
    assert cf.output <= pni.output + slack
    entering = np.array([cf.left, cf.right])
    results = float((gains.sum(axis=0) * cf.left * cf.right).sum())
    np.testing.assert_allclose(cf.output, results, rtol=1e-9, atol=slack)
    assert costs.total((arrivals * entering).sum(), results) <= budget * (1 + 1e-9)


@examples(20)
@given(keyed_questions())
def test_probe_no_insert_by_key_is_the_linear_programs_optimum(question):
    from scipy.optimize import linprog

    arrivals, gains, costs, budget = question
    found = probe_no_insert_by_key(arrivals, gains, costs, budget)
    weights = costs.total(arrivals, gains).ravel()
    best = linprog(-gains.ravel(), A_ub=weights[None], b_ub=[budget], bounds=(0, 1))
    np.testing.assert_allclose(found.output, -best.fun, rtol=1e-7)


@examples(20)
@given(keyed_questions())
def test_coin_flipping_by_key_loses_at_most_one_key(question):
    """Against a grid over all keys' shares; the least update cost of a share z is known."""
    arrivals, gains, costs, budget = question
    found = coin_flipping_by_key(arrivals, gains, costs, budget).output
    slow, fast = np.sort(arrivals, axis=0)
    best = 0.0
    for shares in product(np.linspace(0, 1, 13), repeat=gains.shape[1]):
        z = np.array(shares)
        tuples = np.where(z * fast <= slow, 2 * np.sqrt(slow * fast * z), slow + fast * z)
        output = (gains.sum(axis=0) * z).sum()
        if costs.total(tuples.sum(), output) <= budget:
            best = max(best, output)
    assert found >= best - gains.sum(axis=0).max() * (1 + ROUNDING)
    if gains.shape[1] == 1:
        assert found >= best * (1 - ROUNDING)


@examples(6)
@given(keyed_questions(most_keys=6))
def test_coin_flipping_by_key_is_the_best_of_all_choices_of_keys(question):
    """Any keys in whole, and one in part, as its least cost is concave."""
    arrivals, gains, costs, budget = question
    per_key, best = gains.sum(axis=0), 0.0
    key_costs = costs.total(arrivals.sum(axis=0), per_key)
    for taken in product([False, True], repeat=len(per_key)):
        whole = np.array(taken)
        left_over = budget - key_costs[whole].sum()
        if left_over < 0:
            continue
        for part in [None, *np.flatnonzero(~whole)]:
            output = per_key[whole].sum()
            if part is not None:
                load = Load(tuple(arrivals[:, part]), tuple(gains[:, part]))
                output += coin_flipping(load, costs, left_over).output
            best = max(best, output)
    found = coin_flipping_by_key(arrivals, gains, costs, budget)
    np.testing.assert_allclose(found.output, best, rtol=1e-9)


def test_fill_takes_what_costs_nothing():
    shares = fill(np.array([0.0, 2.0, 1.0]), np.array([0.0, 4.0, 1.0]), 3.0)
    assert shares.tolist() == [1, 0.5, 1]
