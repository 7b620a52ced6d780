"""AR(1): X_t = round(phi0 + phi1 X_{t-1} + N(0, sigma^2)), a Markov chain on the integers.

    P(x -> y) = Phi((y + 1/2 - phi0 - phi1 x) / sigma) - Phi((y - 1/2 - phi0 - phi1 x) / sigma)

After J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005, section 6.1
(theorem 3); there values are not rounded on the way.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.models.numbers import normal_mass, number

_FAR = 9  # deviations off the mean where the chain almost never is
_MOST_STATES = 2500


@dataclass(frozen=True)
class Ar1:
    phi0: float
    phi1: float
    sigma: float

    def states(self, low: int, high: int) -> np.ndarray:
        """Integers that the chain may visit on its way between values from low to high."""
        mean = self.phi0 / (1 - self.phi1)
        reach = _FAR * self.sigma / np.sqrt(1 - self.phi1**2) + 1
        first = min(low, int(np.floor(mean - reach)))
        last = max(high, int(np.ceil(mean + reach)))
        if last - first >= _MOST_STATES:
            raise InputError(
                f"an ar1 model over {last - first + 1} integers is too wide, of at most "
                f"{_MOST_STATES}: give keys in a coarser unit"
            )
        return np.arange(first, last + 1)

    def matrix(self, states: np.ndarray) -> np.ndarray:
        """Probabilities of one step, from row to column."""
        centred = states[None, :] - (self.phi0 + self.phi1 * states[:, None])
        return normal_mass((centred - 0.5) / self.sigma, (centred + 0.5) / self.sigma)

    def probability(self, values: np.ndarray, last: int, ahead: int) -> np.ndarray:
        """Pr{X = v} so many steps after the value `last`."""
        values = np.asarray(values)
        states = self.states(min(last, values.min()), max(last, values.max()))
        mass = (states == last).astype(float)
        matrix = self.matrix(states)
        for _ in range(ahead):
            mass = mass @ matrix
        return mass[values - states[0]]


def read(entry: dict) -> Ar1:
    phi1 = number(entry, "phi1")
    if not abs(phi1) < 1:
        raise InputError(
            f"phi1 of an ar1 model is {phi1:g}: give a number between -1 and 1, or a walk for 1"
        )
    return Ar1(number(entry, "phi0"), phi1, number(entry, "sigma", above=0))
