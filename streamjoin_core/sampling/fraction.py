"""The sampling fraction that a memory allows: expected memory as a function of it, inverted.

    uniform      theorem 4.2 (frequency) or 4.3 (age)
    eq-cluster   p times all tuples in window
    pps-cluster  the sum over tuples in window of min(1, p n): where p n exceeds 1 the tuple is
                 always kept, which leaves the more memory for a larger p of the others

Tuples are kept independently of each other, so variances add up. A margin of z leaves room for z
standard deviations of the memory that is used.
"""

from math import log, sqrt

import numpy as np

from streamjoin_core.sampling.expectation import Kind

METHODS = ("uniform", "eq-cluster", "pps-cluster")
_ROUNDS = 200  # halvings, after which nothing is left of an interval


def solve_fraction(method: str, kinds: tuple[Kind, ...], mem: float, margin: float = 0.0) -> float:
    """The largest p whose memory, with its margin, fits; 1, or for pps-cluster all, if any does."""

    def needed(p: float) -> float:
        mean, variance = memory_used(method, kinds, p)
        return mean + margin * sqrt(variance)

    most = 1.0
    if method == "pps-cluster":
        positive = [kind.results for kind in kinds if kind.results > 0]
        most = 1 / min(positive) if positive else 1.0
    if needed(most) <= mem:
        return most
    low, high = 0.0, most
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        low, high = (middle, high) if needed(middle) <= mem else (low, middle)
    return low


def memory_used(method: str, kinds: tuple[Kind, ...], p: float) -> tuple[float, float]:
    """Mean and variance of the tuples in memory at a time."""
    moments = [_moments(method, kind, p) for kind in kinds]
    means, variances = (
        sum(kind.content * moment[place] for kind, moment in zip(kinds, moments, strict=True))
        for place in range(2)
    )
    return means, max(0.0, variances)


def _moments(method: str, kind: Kind, p: float) -> tuple[float, float]:
    """Mean and variance of whether a tuple in window is in memory, over all ages."""
    if method != "uniform":
        chance = inclusion(method, kind.results, p)
        return chance, chance * (1 - chance)
    if p <= 0 or kind.results <= 0:
        return 0.0, 0.0
    if len(kind.waits):
        # While j results are behind it, some of the n - j others may still be wanted.
        gone = (1 - p) ** np.arange(len(kind.waits), 0, -1)
        return float(kind.waits @ (1 - gone)), float(kind.waits @ (gone * (1 - gone)))
    n, q = kind.results, 1 - p
    if q == 0:
        return 1.0, 0.0
    mean = 1 - q * (1 - q**n) / (p * n)
    fall = -n * log(q)
    return mean, (1 - q**n) / fall - (1 - q ** (2 * n)) / (2 * fall)


def inclusion(method: str, results, p: float):
    """The probability that a tuple's cluster is kept, given its n."""
    if method == "pps-cluster":
        return np.minimum(1.0, p * results)
    return p
