"""Linear trends: X_t = floor(slope t + intercept + 1/2) + Y_t, with independent integer noise Y_t.

Noise is uniform over [-bound, bound], or normal: rounded to the nearest integer first and then,
where there is a bound, rejected outside of it, so that what is left is divided by its sum.
After J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005, sections 7.3
and 7.4.
"""

from dataclasses import dataclass
from math import floor, fsum

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.models.numbers import number, rounded_normal

_LARGEST_BOUND = 10**6


@dataclass(frozen=True)
class Trend:
    slope: float
    intercept: float
    sigma: float | None  # None: uniform noise
    bound: int | None  # None: normal noise without a bound

    def line(self, time: int) -> int:
        return floor(self.slope * time + self.intercept + 0.5)

    def noise(self) -> tuple[int, np.ndarray]:
        """The smallest noise, and weights from there on: probabilities after division by their sum.

        Uniform weights are whole numbers, so that equal sums of them are equal.
        """
        if self.sigma is None:
            return -self.bound, np.ones(2 * self.bound + 1)
        first, mass = rounded_normal(0.0, self.sigma)
        if self.bound is not None and self.bound < -first:
            cut = -first - self.bound
            first, mass = -self.bound, mass[cut : len(mass) - cut]
        return first, mass / fsum(mass)

    @property
    def total(self) -> float:
        """What the weights sum to."""
        return 2.0 * self.bound + 1 if self.sigma is None else 1.0

    @property
    def lifetime(self) -> float | None:
        """A crude guess of how long a tuple near the trend is of use; None where nothing moves."""
        if self.slope == 0:
            return None
        return float(self.bound) if self.sigma is None else 2 * self.sigma / abs(self.slope)

    def probability(self, values: np.ndarray, time: int) -> np.ndarray:
        """Pr{X_time = v} for each value; the past does not matter."""
        first, weights = self.noise()
        place = np.asarray(values) - self.line(time) - first
        is_inside = (place >= 0) & (place < len(weights))
        return np.where(is_inside, weights[np.where(is_inside, place, 0)], 0.0) / self.total


def read(entry: dict) -> Trend:
    noise = entry.get("noise")
    if not isinstance(noise, dict) or noise.get("kind") not in ("normal", "uniform"):
        raise InputError(
            'a trend model has no noise: write {"noise": {"kind": "normal", "sigma": 1}} or '
            '{"noise": {"kind": "uniform", "bound": 15}}'
        )
    is_uniform = noise["kind"] == "uniform"
    bound = noise.get("bound")
    if bound is not None or is_uniform:
        bound = _bound(bound)
    sigma = None if is_uniform else number({**noise, "kind": "trend"}, "sigma", above=0)
    return Trend(number(entry, "slope"), number(entry, "intercept"), sigma, bound)


def _bound(bound) -> int:
    if (
        isinstance(bound, bool)
        or not isinstance(bound, int | float)
        or not (0 <= bound <= _LARGEST_BOUND)
    ):
        raise InputError(
            f"the bound of a trend's noise is {bound!r}: give a number from 0 to {_LARGEST_BOUND}"
        )
    return int(bound)
