"""AR(1): X_t = round(phi0 + phi1 X_{t-1} + N(0, sigma^2)), a Markov chain on the integers.

    P(x -> y) = Phi((y + 1/2 - phi0 - phi1 x) / sigma) - Phi((y - 1/2 - phi0 - phi1 x) / sigma)

After J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005, section 6.1
(theorem 3); there values are not rounded on the way.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.models.chances import STATE, Ask, Foreseen, Table, accumulated, check_size
from streamjoin_core.models.life import Life
from streamjoin_core.models.numbers import normal_mass, number

_FAR = 9  # deviations off the mean where the chain almost never is
_MOST_STATES = 2500
_NODES, _SLOWEST, _FASTEST = 48, 1e-9, 60.0  # of the integral that stands for life inv
_FORGETS = 10_000  # steps after which nobody can tell where the chain started


@dataclass(frozen=True)
class Ar1:
    fades = True  # the present tells little of what lies more than a few steps ahead

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

    def joining(self, ask: Ask) -> Foreseen:
        """H by B's last value and the tuple's: the surface h2 of theorem 3, exact."""
        values = ask.values
        keys = len(values)
        if not keys:
            nothing = Table(np.zeros((len(ask.lags), 1, 1)), 0)
            return Foreseen(STATE, [nothing for _ in ask.lives], lags=ask.lags)
        states = self.states(int(values[0]), int(values[-1]))
        matrix = self.matrix(states)
        at = values - states[0]
        joins = np.array([ask.reach.spread(unit, 0).at(at) for unit in np.eye(len(states))])
        tables = []
        for life in ask.lives:
            depth = ask.depth(ask.horizon)
            check_size(len(ask.lags) * keys * ((depth or 0) + 1) * keys, "an ar1 model")
            if depth is None and life.kind == "exp":
                sums = (discounted(matrix, life.ratio) @ joins)[None]
            else:
                sums = self._summed(matrix, joins, life, ask, depth)
            cells, lag = [], 0
            for wanted in ask.lags.tolist():
                if wanted > lag:
                    sums = np.linalg.matrix_power(matrix, min(wanted - lag, _FORGETS)) @ sums
                lag = wanted
                cells.append(sums[:, at, :].transpose(1, 0, 2))
            tables.append(Table(np.concatenate(cells), 0))
        return Foreseen(STATE, tables, lags=ask.lags)

    def caching(self, ask: Ask) -> Foreseen:
        """The chance of a first use by the last reference and the object.

        With an exponential life it is G(x, v) / (1 + G(v, v)), G the sum over n of ratio^n P^n. The
        chain comes to every value some day, so with life inf all are alike; 1 / wait is the
        integral of e^(-s wait) over s, so life inv is one of exponential lives.
        """
        values = ask.values
        if not len(values):
            return Foreseen(
                STATE, [Table(np.zeros((1, 1, 1)), 0) for _ in ask.lives], lags=ask.lags
            )
        states = self.states(int(values[0]), int(values[-1]))
        matrix, at = self.matrix(states), values - states[0]
        surfaces = [self._first_uses(matrix, at, life, ask) for life in ask.lives]
        tables = [Table(one[:, None, :], 0) for one in surfaces]
        return Foreseen(STATE, tables, lags=ask.lags)

    def _first_uses(self, matrix: np.ndarray, at: np.ndarray, life: Life, ask: Ask) -> np.ndarray:
        if life.kind == "inf":
            return np.ones((len(at), len(at)))
        if life.kind == "exp" and not ask.wants_terms:
            return _first_use(matrix, at, life.ratio)
        if life.kind == "inv":
            rates, shares = np.polynomial.legendre.leggauss(_NODES)
            rates = _SLOWEST * (_FASTEST / _SLOWEST) ** ((rates + 1) / 2)
            shares = shares / 2 * np.log(_FASTEST / _SLOWEST) * rates
            return sum(
                share * _first_use(matrix, at, np.exp(-rate))
                for rate, share in zip(rates, shares, strict=True)
            )
        chance, sums = matrix[:, at], 0.0
        own = (at, np.arange(len(at)))
        for weight in life.weights(life.horizon):
            sums = sums + weight * chance[at]
            chance[own] = 0.0
            chance = matrix @ chance
        return sums

    def _summed(self, matrix, joins, life: Life, ask: Ask, depth: int | None) -> np.ndarray:
        """The defining sum, with a depth up to every remaining time."""
        weights = life.weights(life.horizon)
        chance = joins

        def gained(wait):
            nonlocal chance
            chance = matrix @ chance
            return weights[wait - 1] * chance.ravel()

        return accumulated(gained, len(weights), ask, depth, joins.size).reshape(-1, *joins.shape)


def _first_use(matrix: np.ndarray, at: np.ndarray, ratio: float) -> np.ndarray:
    """G(x, v) / (1 + G(v, v)) at the wanted states."""
    sums = discounted(matrix, ratio)[np.ix_(at, at)]
    return sums / (1 + np.diag(sums))


def discounted(matrix: np.ndarray, ratio: float) -> np.ndarray:
    """Sum over n >= 1 of ratio^n P^n, the solution of (1 - ratio P) G = ratio P."""
    return np.linalg.solve(np.eye(len(matrix)) - ratio * matrix, ratio * matrix)


def read(entry: dict) -> Ar1:
    phi1 = number(entry, "phi1")
    if not abs(phi1) < 1:
        raise InputError(
            f"phi1 of an ar1 model is {phi1:g}: give a number between -1 and 1, or a walk for 1"
        )
    return Ar1(number(entry, "phi0"), phi1, number(entry, "sigma", above=0))
