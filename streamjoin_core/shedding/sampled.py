"""What a uniform sample of the results costs, and the largest that a budget allows.

A tuple that counts on m partners draws with each whether they give a result, all with chance p; it
enters only if there is any, and is met until the last one that was drawn. With q = 1 - p it enters
with chance 1 - q^m, and where m partners come it is met m - q (1 - q^m) / p times (Eq. 18 to 21).

How many partners a tuple counts on is the question. In a stream of random arrivals N come, Poisson
with the mean n of Eq. 5, and those beyond m are never drawn. With m = n these are many: of a key
that is met once in a window on average, a third. So m may be taken so large that they hardly occur.
"""

import numpy as np

from streamjoin_core.shedding.costs import Costs
from streamjoin_core.shedding.steady import Steady

BEYOND = 0.001  # share of a key's results that may come when a tuple no longer counts on any
_HALVINGS = 200  # more than a double can tell apart
_RARE = 1e-5  # results per tuple of which a second one need not be thought


def counted_on(meetings: np.ndarray, hardly_beyond: bool) -> np.ndarray:
    """How many partners a tuple counts on: those to expect, or so many that hardly one is beyond.

    >>> counted_on(np.array([0, 0.2, 1, 100]), True)
    array([  0.,   3.,   5., 121.])
    """
    if not hardly_beyond:
        return meetings
    low = np.full(meetings.shape, -1.0)
    high = np.ceil(meetings + 10 * np.sqrt(meetings) + 10)
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        beyond = meetings - _within(meetings, middle)
        is_enough = beyond <= BEYOND * meetings
        high = np.where(is_enough, middle, high)
        low = np.where(is_enough, low, middle)
    return np.maximum(high, 0)


def sampling_cost(
    steady: Steady, costs: Costs, chance: float, per_result: bool, hardly_beyond: bool
) -> float:
    """Cost per unit of time of a sample in which each result has this chance (Eq. 23 or 25)."""
    entering = met = 0.0
    for number, weight in _rounded(counted_on(steady.meetings, hardly_beyond)):
        some = -np.expm1(number * np.log1p(-chance)) if chance < 1 else (number > 0).astype(float)
        entering = entering + weight * some
        if hardly_beyond:
            met = met + weight * _met(steady.meetings, number, chance)
        elif chance > 0:
            # As many come as are expected (Eq. 21).
            met = met + weight * (number - (1 - chance) / chance * some)
    produced = chance * steady.meetings if per_result else met
    tuples, meetings = (float((steady.arrivals * each).sum()) for each in (entering, produced))
    return costs.total(tuples, meetings)


def find_chance(
    steady: Steady, costs: Costs, budget: float, per_result: bool, hardly_beyond: bool
) -> float:
    """The largest chance whose cost is within the budget."""

    def is_affordable(chance: float) -> bool:
        return sampling_cost(steady, costs, chance, per_result, hardly_beyond) <= budget

    if is_affordable(1.0):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if is_affordable(middle) else (low, middle)
    return low


def results_counted_on(steady: Steady, partners: np.ndarray) -> float:
    """Results per unit of time with the partners that tuples count on, which may fail to come."""
    return float(
        sum(
            (weight * steady.arrivals * _within(steady.meetings, number)).sum()
            for number, weight in _rounded(partners)
        )
    )


def _rounded(partners: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Whole numbers with their weights: each number is rounded up or down by lot."""
    whole = np.floor(partners)
    fraction = partners - whole
    return (whole, 1 - fraction), (whole + 1, fraction)


def _within(meetings: np.ndarray, most: np.ndarray) -> np.ndarray:
    """E min(N, m) of a Poisson number N."""
    return meetings * _at_most(most - 1, meetings) + most * (1 - _at_most(most, meetings))


def _met(meetings: np.ndarray, most: np.ndarray, chance: float) -> np.ndarray:
    """E min(N, L), where L is the last of m lots that is drawn, or 0.

    N >= j and L >= j are independent, and the latter has chance 1 - q^(m - j + 1), so of N <= m

        min(N, L) = N - q (q^(m - N) - q^m) / p     in expectation over L,

    and E [q^(m - N); N <= m] = q^m e^(n / q - n) Pr{N' <= m} with N' Poisson of mean n / q.
    """
    if chance == 0:
        return np.zeros(meetings.shape)
    if chance == 1:
        return _within(meetings, most)
    failure = 1 - chance
    few = _at_most(most, meetings)
    with np.errstate(over="ignore", invalid="ignore"):
        scale = np.exp(most * np.log(failure) + meetings * chance / failure)
        left_over = np.nan_to_num(scale * _at_most(most, meetings / failure))
    none = failure**most
    ratio = failure / chance
    met = meetings * _at_most(most - 1, meetings)
    met -= ratio * (np.minimum(left_over, few) - none * few)
    met += (1 - few) * (most - ratio * (1 - none))
    # What cancels above for rare results: sum of P{N >= j} P{L >= j}, to the first order in p.
    rare = chance * meetings * np.maximum(most - meetings / 2, 0)
    return np.where(most * chance < _RARE, rare, np.clip(met, 0, meetings))


def _at_most(number: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """The Poisson distribution, also below 0."""
    from scipy.special import pdtr

    return np.where(number >= 0, pdtr(np.maximum(number, 0), mean), 0.0)
