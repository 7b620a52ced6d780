"""Dividing memory among joins, given what recall each would have from how much of it."""

from collections.abc import Sequence

import numpy as np

_ROUNDS = 60  # halvings: what is left of an interval is less than any recall differs by
_NEAR = 1e-12


def divide_fairly(recalls: Sequence[np.ndarray], weights: Sequence[float], mem: int) -> list[int]:
    """Memories with the largest smallest recall / weight (theorem 5.1).

    `recalls[i][m]` is what join i has from memory m, and never falls. The level is found by halving
    as the largest one that all can reach; what is left then goes to whoever is worst off. What
    nobody can use is left over.

    >>> divide_fairly([np.array([0, 0.5, 1]), np.array([0, 0.25, 0.5, 0.75, 1])], [1, 1], 3)
    [1, 2]
    """
    low, high = 0.0, min(r[-1] / w for r, w in zip(recalls, weights, strict=True))
    if sum(_needed(recalls, weights, high)) <= mem:
        low = high
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        fits = sum(_needed(recalls, weights, middle)) <= mem
        low, high = (middle, high) if fits else (low, middle)
    given = _needed(recalls, weights, low)
    for _ in range(mem - sum(given)):
        open_ones = [i for i, recall in enumerate(recalls) if recall[given[i]] < recall[-1]]
        if not open_ones:
            break
        worst = min(open_ones, key=lambda i: recalls[i][given[i]] / weights[i])
        given[worst] += 1
    return given


def _needed(recalls: Sequence[np.ndarray], weights: Sequence[float], level: float) -> list[int]:
    """f_i(w_i q): the least memory with which each join reaches a level."""
    return [
        min(len(recall) - 1, int(np.searchsorted(recall, weight * level * (1 - _NEAR))))
        for recall, weight in zip(recalls, weights, strict=True)
    ]


def divide_in_proportion(needs: Sequence[float], mem: int) -> list[int]:
    """Memories in proportion to what each join would need for all; the rounding adds up.

    >>> divide_in_proportion([300, 100, 100], 9)
    [5, 2, 2]
    """
    whole = sum(needs) or 1
    exact = [mem * need / whole for need in needs]
    given = [int(share) for share in exact]
    by_rest = sorted(range(len(needs)), key=lambda i: given[i] - exact[i])
    for i in by_rest[: mem - sum(given)]:
        given[i] += 1
    return given
