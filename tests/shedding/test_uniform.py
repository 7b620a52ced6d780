"""Uniform samples: each result has the same chance, whenever it comes, and the cost is foreseen."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, chisquare

import streamjoin_core as sj
from streamjoin_core.shedding.costs import Costs
from streamjoin_core.shedding.sampled import counted_on, find_chance, sampling_cost
from streamjoin_core.shedding.steady import Steady
from tests.small_traces import trace as small

SEEDS = 400


def test_how_many_of_a_tuples_results_are_drawn_is_binomial():
    """More partners come than are expected; still the last has the chance of the first."""
    partners = 5
    rows = "1Ra 2Sa 3Sa 4Sa 5Sa 6Sa 20Ra 30Ra 40Ra"
    for charge in ("probes", "results"):
        report = sj.shed(
            small(rows),
            budget=0.6,
            burst=40,
            strategy=f"uniform:charge={charge}",
            costs="1:1",
            window=8,
            fit_prefix=1,
            seeds=SEEDS,
        )
        chance = report.runs[0].chances["p"]
        assert 0.1 < chance < 0.9
        found = np.bincount([run.results for run in report.runs], minlength=partners + 1)
        expected = SEEDS * binom.pmf(np.arange(partners + 1), partners, chance)
        # Numbers that hardly occur are one class.
        classes = [expected >= 5, expected < 5]
        observed, wanted = (
            np.append(each[classes[0]], each[classes[1]].sum()) for each in (found, expected)
        )
        assert chisquare(observed, wanted).pvalue > 1e-4


@pytest.mark.parametrize("charge", ["probes", "results"])
@pytest.mark.parametrize("options", [{"domain": 40}, {"domain": 2000, "skew": 0.5}])
def test_a_sample_is_as_large_as_its_chance_and_costs_the_budget(charge, options):
    """Also where a tuple is hardly ever met."""
    trace = sj.generate("zipf", steps=3000, seed=2, **options)
    (run,) = sj.shed(
        trace,
        budget=0.5,
        burst=300,
        strategy=f"uniform:charge={charge}",
        costs="1:0.5",
        window=100,
        warmup=100,
    ).runs
    deviation = np.sqrt(run.chances["p"] / run.exact)
    assert run.recall == pytest.approx(run.chances["p"], rel=0.02, abs=4 * deviation)
    assert run.cost == pytest.approx(run.rate * 3000, rel=0.05)


def test_the_papers_chance():
    """Eq. 18 to 25 as they are printed, where the partners to expect are whole numbers."""
    frequency = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]])
    rate, window, costs = np.array([2.0, 4.0]), np.array([10.0, 20.0]), Costs(1, 0.3)
    steady = Steady(rate, window, frequency, "user", 0)
    (f_left, f_right), (l_left, l_right), (t_left, t_right) = frequency, rate, window

    def price(p, per_result):
        q = 1 - p
        of_left, of_right = f_right * l_right * t_left, f_left * l_left * t_right
        entering = l_left * (1 - f_left @ q**of_left) + l_right * (1 - f_right @ q**of_right)
        in_left = (of_left - q / p * (1 - q**of_left)) * t_left / of_left
        in_right = (of_right - q / p * (1 - q**of_right)) * t_right / of_right
        probes = l_left * l_right * (f_left * f_right) @ (in_left + in_right)
        output = l_left * l_right * (f_left @ f_right) * (t_left + t_right)
        return entering * costs.update + costs.production * (p * output if per_result else probes)

    for budget in (1.0, 5.0, 12.0):
        for per_result in (False, True):
            found = find_chance(steady, costs, budget, per_result, hardly_beyond=False)
            known = brentq(lambda *of: price(*of[:2]) - of[2], 1e-9, 1 - 1e-9, (per_result, budget))
            assert found == pytest.approx(known)
            # To count on more partners costs more.
            fewer = find_chance(steady, costs, budget, per_result, hardly_beyond=True)
            assert fewer < found


def test_cost_by_simulation():
    """A tuple counts on m partners, N come, and it is met until the last of the lots drawn."""
    rng = np.random.default_rng(0)
    for meetings in (0.2, 3.0, 40.0):
        steady = Steady(np.ones(2), np.full(2, meetings), np.array([[1.0], [1.0]]), "user", 0)
        (most,) = counted_on(np.array([meetings]), True)
        for chance in (0.01, 0.3, 0.9, 1.0):
            come = rng.poisson(meetings, 200_000)
            last = np.maximum(most + 1 - rng.geometric(chance, len(come)), 0)
            met = np.minimum(come, last)
            found = sampling_cost(steady, Costs(0, 1), chance, False, True) / 2
            assert found == pytest.approx(met.mean(), abs=4 * met.std() / np.sqrt(len(come)))
            entering = sampling_cost(steady, Costs(1, 0), chance, False, True) / 2
            assert entering == pytest.approx((last > 0).mean(), abs=0.01)
            free = sampling_cost(steady, Costs(0, 1), chance, True, True) / 2
            assert free == pytest.approx(chance * meetings)
