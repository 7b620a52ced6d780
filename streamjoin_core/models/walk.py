"""Random walks with drift: X_t = X_{t-1} + round(drift + N(0, sigma^2)).

Several steps ahead the integer steps are convolved. After J. Xie, J. Yang, Y. Chen, On joining and
caching stochastic streams, SIGMOD 2005, section 7.5.
"""

from dataclasses import dataclass
from math import ceil, exp, log, sqrt

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.models.chances import LAST, Ask, Foreseen, Table, accumulated, check_size
from streamjoin_core.models.life import Life
from streamjoin_core.models.numbers import number, rounded_normal

_UNDERFLOW = 745  # e^-745 is 0 as a double
_STRAY = 20  # e^-40 of a chance is less than its rounding, there and back
_REACH = 9  # deviations that a single step hardly ever takes
_ROUNDING = 1e-17
_MOST_WAITS = 2000  # terms of a sum that ends by itself too late
_MOST_PLACES = 100_000  # convolutions take minutes from there on


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

    def joining(self, ask: Ask) -> Foreseen:
        """H by the distance of a tuple from B's last value: the curve h1 of theorem 3."""
        low, high = self._distances(ask)
        depth = ask.depth(max(self._waits(life, high) for life in ask.lives))
        tables = [self._table(ask, life, low, high, depth) for life in ask.lives]
        return Foreseen(LAST, tables, lags=ask.lags)

    def caching(self, ask: Ask) -> Foreseen:
        """The chance of a first use, by the distance of an object from the last reference.

        With an exponential life it is G(d) / (1 + G(0)), G the sum over n of ratio^n step^(*n);
        else, or where the terms are wanted, by the taboo recursion f_n = step * (f_{n-1} without
        its value at 0), of which at most _MOST_WAITS terms are added up.
        """
        low, high = self._distances(ask)
        tables = []
        for life in ask.lives:
            spare = self._spare(life)
            line = _Line(low - spare, high + spare)
            step = line.placed(*self.step())
            if life.kind == "exp" and not ask.wants_terms:
                sums = _discounted(line, step, life.ratio)
                sums = sums / (1 + sums[-line.first])
            else:
                sums = _first_uses(line, step, life.weights(int(min(life.horizon, _MOST_WAITS))))
            if self.drift == 0:
                sums = (sums + sums[::-1]) / 2
            tables.append(Table(sums[None, None, spare : spare + high - low + 1], low))
        return Foreseen(LAST, tables, lags=ask.lags)

    def _waits(self, life: Life, far: int) -> int:
        """When all is gained; far off, most is gained late."""
        if life.kind == "fixed":
            return life.limit
        return life.horizon + ceil(2 * far * sqrt(life.alpha / 2) / self.sigma)

    def _table(self, ask: Ask, life: Life, low: int, high: int, depth: int | None) -> Table:
        """One curve for each lag: the walk goes on for so many steps before the first wait."""
        spare = self._spare(life)
        line = _Line(low - spare, high + spare)
        step = line.placed(*self.step())
        check_size(len(ask.lags) * ((depth or 0) + 1) * len(line), "a random walk")
        if depth is None and life.kind == "exp":
            sums = _discounted(line, step, life.ratio)[None]
        else:
            waits = self._waits(life, high)
            sums = _summed(line, step, life.weights(waits), ask, depth)
        if self.drift == 0:
            sums = (sums + sums[:, ::-1]) / 2  # whoever is as far on the other side ties
        curves, lag = [], 0
        for wanted in ask.lags.tolist():
            for _ in range(wanted - lag):
                sums = np.stack([line.convolved(step, curve) for curve in sums])
            lag = wanted
            joins = [ask.reach.spread(curve, line.first) for curve in sums]
            curves.append([chances.at(np.arange(low, high + 1)) for chances in joins])
        return Table(np.array(curves), low)

    def _distances(self, ask: Ask) -> tuple[int, int]:
        """Distances at which tuples that have arrived can be, the same on both sides.

        Beyond, a table is constant, so there is one more place where the chance is as good as 0.
        """
        trace, values = ask.trace, ask.values
        if not len(trace):
            return -1, 1
        key = values[trace.key]
        own, others = ask.own, ask.others
        highest = np.maximum.accumulate(np.where(own, key, key.min()))
        lowest = np.minimum.accumulate(np.where(own, key, key.max()))
        last = _carried_on(key, others)
        far = int(max((highest - last).max(), (last - lowest).max(), 0)) + 1
        most = max(ceil(_UNDERFLOW / self._decay(life)) for life in ask.lives)
        far = min(far, most)
        return -far, far

    def _decay(self, life: Life) -> float:
        """H falls at least as slowly as e^(-decay * distance) on its slower side.

        The rate solves ratio * E[e^(rate * step)] = 1; under a limited life falls are steeper.
        """
        ratio = life.ratio if life.kind == "exp" else exp(-1 / (life.limit or _MOST_WAITS))
        drift, variance = abs(self.drift), self.sigma**2 + 1 / 12
        return -2 * log(ratio) / (drift + sqrt(drift**2 - 2 * variance * log(ratio)))

    def _spare(self, life: Life) -> int:
        """How far beyond the wanted distances a walk may stray and still come back."""
        return ceil(_STRAY / self._decay(life) + _REACH * self.sigma + abs(self.drift)) + 1


class _Line:
    """Integers from low to high, over which masses are kept; what leaves them is lost."""

    def __init__(self, low: int, high: int):
        self.first, self.last = low, high
        if len(self) > _MOST_PLACES:
            raise InputError(
                f"a random walk would have to be followed over {len(self):,} integers, of at most "
                f"{_MOST_PLACES:,}: give a smaller --alpha, or keys in a coarser unit"
            )

    def __len__(self) -> int:
        return self.last - self.first + 1

    def placed(self, first: int, mass: np.ndarray) -> np.ndarray:
        """A mass that starts at `first`, cut to this line."""
        whole = np.zeros(len(self))
        start, end = max(first, self.first), min(first + len(mass) - 1, self.last)
        if start <= end:
            whole[start - self.first : end - self.first + 1] = mass[start - first : end - first + 1]
        return whole

    def convolved(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """The distribution of a sum; term by term, since transforms would drown small masses."""
        kept = np.flatnonzero(one)
        if not len(kept):
            return np.zeros(len(self))
        one = one[kept[0] : kept[-1] + 1]
        return self.placed(2 * self.first + int(kept[0]), np.convolve(one, other))


def _discounted(line: _Line, step: np.ndarray, ratio: float) -> np.ndarray:
    """Sum over n >= 1 of ratio^n step^(*n), by doubling the number of terms until none counts."""
    power = ratio * step  # ratio^n step^(*n) for n terms
    sums = power.copy()
    while True:
        more = line.convolved(power, sums)
        is_done = not (more > _ROUNDING * sums).any()
        sums = sums + more
        if is_done:
            return sums
        power = line.convolved(power, power)


def _summed(line: _Line, step: np.ndarray, weights: np.ndarray, ask: Ask, depth: int | None):
    """The defining sum, with a depth up to every remaining time."""
    mass = line.placed(0, np.ones(1))
    short = step[np.flatnonzero(step)[0] : np.flatnonzero(step)[-1] + 1]
    first = line.first + int(np.flatnonzero(step)[0])

    def gained(wait):
        nonlocal mass
        mass = line.placed(line.first + first, np.convolve(short, mass))
        return weights[wait - 1] * mass

    return accumulated(gained, len(weights), ask, depth, len(line))


def _first_uses(line: _Line, step: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The sum of L(n) times the chance that a walk is at a distance for the first time at n."""
    chance, sums = step, np.zeros(len(line))
    for weight in weights:
        sums += weight * chance
        chance = chance.copy()
        chance[-line.first] = 0.0
        chance = line.convolved(step, chance)
    return sums


def _carried_on(values: np.ndarray, is_new: np.ndarray) -> np.ndarray:
    """Each value that is not new replaced by the new one before it, else by the first."""
    at = np.maximum.accumulate(np.where(is_new, np.arange(len(values)), -1))
    start = int(np.argmax(is_new)) if is_new.any() else 0
    return values[np.where(at < 0, start, at)]


def read(entry: dict) -> Walk:
    return Walk(number(entry, "drift"), number(entry, "sigma", above=0))
