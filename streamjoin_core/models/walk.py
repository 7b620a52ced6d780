"""Random walks with drift: X_t = X_{t-1} + round(drift + N(0, sigma^2)).

Several steps ahead the integer steps are convolved. After J. Xie, J. Yang, Y. Chen, On joining and
caching stochastic streams, SIGMOD 2005, section 7.5.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.models.numbers import number, rounded_normal


@dataclass(frozen=True)
class Walk:
    drift: float
    sigma: float

    def step(self) -> tuple[int, np.ndarray]:
        """The smallest step, and the probabilities from there on."""
        return rounded_normal(self.drift, self.sigma)

    def probability(self, values: np.ndarray, last: int, ahead: int) -> np.ndarray:
        """Pr{X = v} so many steps after the value `last`."""
        first, step = self.step()
        mass = np.ones(1)
        for _ in range(ahead):
            mass = np.convolve(mass, step)
        place = np.asarray(values) - last - ahead * first
        is_inside = (place >= 0) & (place < len(mass))
        return np.where(is_inside, mass[np.where(is_inside, place, 0)], 0.0)


def read(entry: dict) -> Walk:
    return Walk(number(entry, "drift"), number(entry, "sigma", above=0))
