"""Which keys coin flipping takes in whole, and which one in part: a knapsack, searched.

Keys are decided one after the other in the order of their results per cost: in whole, in part (one
key at most), or not. A branch is left when even fractions of all keys that are still open, at the
price of whole ones, would not make it better than the best that is known.
"""

from collections.abc import Callable

import numpy as np

_MOST_NODES = 5_000  # then the best so far is as good as any: keys are many, and each is little
_ROUNDING = 1e-12


def best_whole_keys(
    gains: np.ndarray,
    costs: np.ndarray,
    budget: float,
    in_part: Callable[[int, float], float],
    known: float,
) -> tuple[list[int], int | None] | None:
    """The keys to take in whole, and the one in part; None if `known` results are the most.

    Keys come in the order of gain per cost; `in_part` tells what a key gives for what is left.
    """
    gained, paid = (np.concatenate(([0.0], np.cumsum(each))) for each in (gains, costs))

    def at_most(place: int, part: int | None, left: float) -> float:
        """What fractions of the open keys could give for what is left."""
        most = 0.0
        if part is not None:
            most = gains[part] * min(1.0, left / costs[part])
            left = max(0.0, left - costs[part])
        end = int(np.searchsorted(paid, paid[place] + left, side="right")) - 1
        most += gained[end] - gained[place]
        if end < len(gains) and costs[end] > 0:
            most += gains[end] * min(1.0, (left - (paid[end] - paid[place])) / costs[end])
        return most

    found, best = None, known
    branches = [(0, None, budget, 0.0, ())]
    for _ in range(_MOST_NODES):
        if not branches:
            break
        place, part, left, gain, whole = branches.pop()
        output = gain + (0.0 if part is None else in_part(part, left))
        if output > best * (1 + _ROUNDING):
            found, best = (_listed(whole), part), output
        if place == len(gains) or gain + at_most(place, part, left) <= best * (1 + _ROUNDING):
            continue
        branches.append((place + 1, part, left, gain, whole))
        if part is None:
            branches.append((place + 1, place, left, gain, whole))
        if costs[place] <= left:
            taken = (left - costs[place], gain + gains[place], (place, whole))
            branches.append((place + 1, part, *taken))
    return found


def _listed(whole: tuple) -> list[int]:
    """Places from the chain of the last one and those before."""
    places = []
    while whole:
        place, whole = whole
        places.append(place)
    return places
