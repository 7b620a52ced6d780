"""The best chances for tuples to be processed under a budget, in expectation.

Let a_i tuples of stream i arrive per unit of time, and g_i be the results per unit of time for
which all of them would wait (see `steady`). With costs u per tuple that enters and p per result,
budget C, and chances x_i, Eq. 10 to 15 of Ayad and others (2005) read

    CF    most  (g_L + g_R) x_L x_R        such that  (a_L x_L + a_R x_R) u + results p <= C
    INP   most  g_R x_L + g_L x_R          such that  (a_L + a_R) u + results p <= C
    PNI   most  g_L x_L + g_R x_R          such that  (a_L x_L + a_R x_R) u + results p <= C

PNI is a linear program with one constraint: who gives the most per cost is filled up first. For INP
all results cost the same, so only their number is decided. CF: to get the share z = x_L x_R of all
results at the least u (a_L x_L + a_R x_R), both streams pay alike, x_i = sqrt(z a_L a_R) / a_i,
until the slower one is in whole. So the least cost is known as a function of z, rises with z, and
is a quadratic in sqrt(z) or linear in z: C is solved for z in closed form.

Chances by key: PNI stays linear. Under INP nothing is gained. CF's least cost is concave in each
key's z, so in the best solution at most one key is between 0 and 1; which ones are 1 is a knapsack
problem. Keys are taken in order of results per cost, as Online Max-Subset does, and the first one
that does not fit gets what is left; then a search looks for better ones: see `whole_keys`.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from streamjoin_core.shedding.costs import Costs
from streamjoin_core.shedding.whole_keys import best_whole_keys


class Chances(NamedTuple):
    left: float | np.ndarray
    right: float | np.ndarray
    output: float  # results per unit of time to expect

    def of_stream(self) -> np.ndarray:
        return np.array([self.left, self.right])


class Load(NamedTuple):
    """All that is asked of one pair of streams, or of their tuples with one key."""

    arrivals: tuple[float, float]  # a_L, a_R
    gains: tuple[float, float]  # g_L, g_R


def probe_no_insert(load: Load, costs: Costs, budget: float) -> Chances:
    """The best chances to enter, where all tuples probe.

    >>> probe_no_insert(Load((1, 1), (3, 1)), Costs(1, 1), 5)
    Chances(left=1.0, right=0.5, output=3.5)
    """
    return probe_no_insert_by_key(np.array(load.arrivals), np.array(load.gains), costs, budget)


def probe_no_insert_by_key(
    arrivals: np.ndarray, gains: np.ndarray, costs: Costs, budget: float
) -> Chances:
    """The same where each stream's key has its own chance; arrays are [stream, ...]."""
    chances = fill(gains.ravel(), costs.total(arrivals, gains).ravel(), budget)
    left, right = chances.reshape(gains.shape)
    return Chances(*_plain(left, right), float(chances @ gains.ravel()))


def insert_no_probe(load: Load, costs: Costs, budget: float) -> Chances:
    """The best chances to probe, where all tuples enter; without any results if that is too much.

    >>> insert_no_probe(Load((1, 1), (3, 1)), Costs(1, 1), 4)
    Chances(left=0.5, right=0.5, output=2.0)
    """
    everything = sum(load.gains)
    if costs.total(sum(load.arrivals), everything) <= budget:
        return Chances(1.0, 1.0, float(everything))
    left_over = budget - costs.update * sum(load.arrivals)
    if left_over < 0:
        return Chances(0.0, 0.0, 0.0)
    share = left_over / (everything * costs.production)
    return Chances(share, share, everything * share)


def coin_flipping(load: Load, costs: Costs, budget: float) -> Chances:
    """The best chances to be processed at all.

    >>> coin_flipping(Load((1, 4), (2, 2)), Costs(1, 1), 5)
    Chances(left=1.0, right=0.5, output=2.0)
    """
    slow, fast = sorted(load.arrivals)
    everything = sum(load.gains)
    if costs.total(slow + fast, everything) <= budget:
        return Chances(1.0, 1.0, float(everything))
    produced = costs.production * everything
    # The root of produced s^2 + paired s = budget, with s^2 = z, so written that nothing cancels.
    paired = 2 * costs.update * sqrt(slow * fast)
    scale = paired + sqrt(paired * paired + 4 * produced * budget)
    root = 2 * budget / scale if scale > 0 else 1.0
    if root * root * fast <= slow:
        of_slow, of_fast = root * sqrt(fast / slow), root * sqrt(slow / fast)
    else:
        of_slow = 1.0
        of_fast = (budget - costs.update * slow) / (costs.update * fast + produced)
    left, right = (of_slow, of_fast) if load.arrivals[0] <= load.arrivals[1] else (of_fast, of_slow)
    left, right = min(left, 1.0), min(right, 1.0)
    return Chances(left, right, everything * left * right)


def coin_flipping_by_key(
    arrivals: np.ndarray, gains: np.ndarray, costs: Costs, budget: float
) -> Chances:
    """Chances by key; arrays are [stream, key]. At least as good as the same chances for all."""
    per_key = gains.sum(axis=0)
    key_costs = costs.total(arrivals.sum(axis=0), per_key)

    def in_part(key: int, left_over: float) -> Chances:
        load = Load(tuple(arrivals[:, key].tolist()), tuple(gains[:, key].tolist()))
        return coin_flipping(load, costs, left_over)

    def as_chances(whole: np.ndarray, part: int | None, left_over: float) -> Chances:
        chances = np.tile(whole.astype(float), (2, 1))
        output = float(per_key[whole].sum())
        if part is not None:
            found = in_part(part, left_over)
            chances[:, part] = found.left, found.right
            output += found.output
        return Chances(*chances, output)

    best = as_chances(*take_whole(per_key, key_costs, budget))
    alike = Load(tuple(arrivals.sum(axis=1)), tuple(gains.sum(axis=1)))
    common = coin_flipping(alike, costs, budget)
    if common.output > best.output:
        ones = np.ones(len(per_key))
        best = Chances(common.left * ones, common.right * ones, common.output)
    order = best_first(per_key, key_costs)
    order = order[per_key[order] > 0]
    better = best_whole_keys(
        per_key[order],
        key_costs[order],
        budget,
        lambda place, left_over: in_part(order[place], left_over).output,
        best.output,
    )
    if better is None:
        return best
    whole = np.zeros(len(per_key), bool)
    whole[order[better[0]]] = True
    part = None if better[1] is None else int(order[better[1]])
    return as_chances(whole, part, max(0.0, budget - float(key_costs[whole].sum())))


def take_whole(
    gains: np.ndarray, costs: np.ndarray, budget: float
) -> tuple[np.ndarray, int | None, float]:
    """Which items are taken in whole, by gain per cost; the first that does not fit; what is left.

    >>> take_whole(np.array([4.0, 9.0, 1.0]), np.array([2.0, 3.0, 2.0]), 4.0)
    (array([False,  True, False]), 0, 1.0)
    """
    order = best_first(gains, costs)
    paid = np.cumsum(costs[order])
    fits = int(np.searchsorted(paid, budget, side="right"))
    whole = np.zeros(len(gains), bool)
    whole[order[:fits]] = True
    left_over = budget - (paid[fits - 1] if fits else 0.0)
    return whole, int(order[fits]) if fits < len(order) else None, float(left_over)


def fill(gains: np.ndarray, costs: np.ndarray, budget: float) -> np.ndarray:
    """The shares of items with the largest gain in all: a linear program with one constraint."""
    whole, boundary, left_over = take_whole(gains, costs, budget)
    shares = whole.astype(float)
    if boundary is not None:
        shares[boundary] = left_over / costs[boundary]
    return shares


def best_first(gains: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Items by gain per cost, the first among equals; what costs nothing comes before all."""
    per_cost = np.divide(gains, costs, out=np.full(len(gains), np.inf), where=costs > 0)
    return np.argsort(-per_cost, kind="stable")


def _plain(left, right):
    return (float(left), float(right)) if np.ndim(left) == 0 else (left, right)
