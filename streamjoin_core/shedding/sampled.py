"""What a uniform sample of the results costs, and the largest that a budget allows."""

import numpy as np

from streamjoin_core.shedding.costs import Costs
from streamjoin_core.shedding.steady import Steady

_HALVINGS = 200  # more than a double can tell apart


def sampling_cost(steady: Steady, costs: Costs, chance: float, per_result: bool) -> float:
    """Cost per unit of time of a sample in which each result has this chance (Eq. 23 or 25)."""
    entering, met = _fates(steady.meetings, chance)
    produced = chance * steady.meetings if per_result else met
    tuples, meetings = (float((steady.arrivals * each).sum()) for each in (entering, produced))
    return costs.total(tuples, meetings)


def _fates(meetings: np.ndarray, chance: float) -> tuple[np.ndarray, np.ndarray]:
    """The share of tuples that enter, and how often one is met, with the number of meetings to
    expect rounded up or down by lot."""
    whole = np.floor(meetings)
    fraction = meetings - whole
    entering = met = 0.0
    for number, weight in ((whole, 1 - fraction), (whole + 1, fraction)):
        some = -np.expm1(number * np.log1p(-chance)) if chance < 1 else (number > 0).astype(float)
        entering = entering + weight * some
        if chance > 0:
            met = met + weight * (number - (1 - chance) / chance * some)
    return entering, met


def find_chance(steady: Steady, costs: Costs, budget: float, per_result: bool) -> float:
    """The largest chance whose cost is within the budget."""
    if sampling_cost(steady, costs, 1.0, per_result) <= budget:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if sampling_cost(steady, costs, middle, per_result) <= budget:
            low = middle
        else:
            high = middle
    return low


def results_within_expected(steady: Steady) -> float:
    """Results per unit of time with the partners that tuples expect, which may fail to come.

    A window has so many arrivals of the other stream, and each is a partner with the key's
    frequency: their number N is binomial. Of the m to expect, min(N, m) come:
    E min(N, m) = trials f Pr{Bin(trials - 1, f) <= m - 2} + m Pr{N >= m}.
    """
    from scipy.special import bdtr

    trials = np.rint(steady.rate[::-1] * steady.window)[:, None]
    frequency = steady.frequency[::-1]
    whole = np.floor(steady.meetings)
    fraction = steady.meetings - whole
    total = 0.0
    for number, weight in ((whole, 1 - fraction), (whole + 1, fraction)):
        fewer = trials * frequency * _at_most(bdtr, number - 2, trials - 1, frequency)
        enough = number * (1 - _at_most(bdtr, number - 1, trials, frequency))
        total += float((weight * steady.arrivals * (fewer + enough)).sum())
    return total


def _at_most(bdtr, number, trials, frequency) -> np.ndarray:
    """The binomial distribution, also where nothing is tried."""
    inside = (number >= 0) & (number < trials)
    known = bdtr(np.where(inside, number, 0), np.maximum(trials, 1).astype(int), frequency)
    return np.where(inside, known, (number >= 0).astype(float))
