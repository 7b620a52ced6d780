"""Linear trends: X_t = floor(slope t + intercept + 1/2) + Y_t, with independent integer noise Y_t.

Noise is uniform over [-bound, bound], or normal: rounded to the nearest integer first and then,
where there is a bound, rejected outside of it, so that what is left is divided by its sum.
After J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005, sections 7.3
and 7.4.
"""

from dataclasses import dataclass
from math import ceil, floor, fsum

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.models.chances import (
    LINE,
    Ask,
    Foreseen,
    Joining,
    Table,
    accumulated,
    check_size,
)
from streamjoin_core.models.life import Life
from streamjoin_core.models.numbers import number, rounded_normal
from streamjoin_core.models.stationary import first_uses_of

LARGEST_BOUND = 10**6
_MOST_TERMS = 300_000
_LATE = 2  # horizons after which what is gained is 1e-36 of what could have been
_CERTAINTY = 1e3  # as the logarithm of a chance that is 0
_UNDERFLOW = 18  # horizons after which an exponential life is 0 as a double


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

    def joining(self, ask: Ask) -> Foreseen:
        """H by the distance of a tuple from the line; the line's future steps are the context."""
        first, weights = self.noise()
        chances = ask.reach.spread(weights, first)
        places = self._places(ask, chances)
        waits = [self._waits(ask, life, chances, places) for life in ask.lives]
        contexts, context_of_row = self._contexts(ask, max(waits))
        depth = ask.depth(max(waits))
        check_size(len(ask.lives) * len(contexts) * ((depth or 0) + 1) * len(places), "a trend")
        tables = []
        for life, most in zip(ask.lives, waits, strict=True):
            sums = [
                self._sums(ask, life, most, start, chances, places, depth) for start in contexts
            ]
            tables.append(Table(np.stack(sums), int(places[0])))
        return Foreseen(LINE, tables, self.slope, self.intercept, context_of_row)

    def caching(self, ask: Ask) -> Foreseen:
        """The chance of a first use: f(wait) = p(wait) * product over earlier waits of 1 - p."""
        if self.slope == 0:
            return first_uses_of(self.probability(ask.values, 0), ask)
        first, weights = self.noise()
        chances = ask.reach.spread(weights / self.total, first)
        places = self._places(ask, chances)
        waits = min(ceil((len(places) + 1) / abs(self.slope)) + 1, _patience(ask.lives))
        contexts, context_of_row = self._contexts(ask, waits)
        tables = []
        for life in ask.lives:
            sums = [
                self._first_uses(ask, life, waits, start, chances, places) for start in contexts
            ]
            tables.append(Table(np.stack(sums), int(places[0])))
        return Foreseen(LINE, tables, self.slope, self.intercept, context_of_row)

    def _first_uses(self, ask, life, waits, start, chances, places) -> np.ndarray:
        weights = life.weights(waits)
        here = self.line(start)
        unused = np.ones(len(places))
        if life.kind in ("fixed", "inf"):  # then only whether there is a use counts, not when

            def never(wait):
                chance = chances.at(places + here - self.line(start + wait))
                inside = np.where(chance < 1, chance, 0.0)
                return weights[wait - 1] * np.where(chance < 1, -np.log1p(-inside), _CERTAINTY)

            return -np.expm1(-accumulated(never, waits, ask, None, len(places)))

        def gained(wait):
            nonlocal unused
            chance = chances.at(places + here - self.line(start + wait))
            first_use = unused * chance
            unused = unused * (1 - chance)
            return weights[wait - 1] * first_use

        return accumulated(gained, waits, ask, None, len(places))

    def _places(self, ask: Ask, chances: Joining) -> np.ndarray:
        """Distances from the line at which tuples can be; who has been passed gains no more."""
        ends = [chances.first - 1, chances.first + len(chances.chance)]
        trace = ask.trace
        own = ask.own
        if self.slope != 0 and own.any():
            lines = np.floor(self.slope * trace.time[own] + self.intercept + 0.5).astype(np.int64)
            ahead = ask.values[trace.key[own]] - lines
            reach = _UNDERFLOW * max(life.horizon for life in ask.lives) * abs(self.slope)
            if self.slope > 0:
                ends[1] = ceil(max(ends[1], min(int(ahead.max()), ends[1] + reach)))
            else:
                ends[0] = floor(min(ends[0], max(int(ahead.min()), ends[0] - reach)))
        check_size(ends[1] - ends[0], "a trend")
        return np.arange(ends[0] - abs(ceil(self.slope)), ends[1] + abs(ceil(self.slope)) + 1)

    def _waits(self, ask: Ask, life: Life, chances: Joining, places: np.ndarray) -> int:
        """The wait after which nothing is to be gained at any of these places."""
        waits = ceil((len(places) + 1) / abs(self.slope)) + 1 if self.slope else 0
        if not waits or chances.below or chances.above:
            waits = max(waits, life.horizon)
        waits = min(waits, _patience((life,)))
        return waits if ask.window is None else max(1, min(waits, ask.window))

    def _contexts(self, ask: Ask, waits: int) -> tuple[list[int], np.ndarray | None]:
        """Times that stand for all others whose line goes on alike, and which stands for each row.

        A line of a whole slope always goes on alike. Otherwise its steps, which rounding decides,
        are compared by a hash of them all.
        """
        time = ask.trace.time
        if self.slope == int(self.slope) or not len(time):
            return [0], None
        moments, of_row = np.unique(time, return_inverse=True)
        waits = int(waits)
        here = np.floor(self.slope * moments + self.intercept + 0.5)
        digest = np.zeros(len(moments), np.uint64)
        for wait in range(1, waits + 1):
            line = np.floor(self.slope * (moments + wait) + self.intercept + 0.5)
            digest = digest * np.uint64(0x9E3779B97F4A7C15) + (line - here).astype(np.int64).view(
                np.uint64
            )
        _, stands, contexts = np.unique(digest, return_index=True, return_inverse=True)
        if len(stands) * waits > _MOST_TERMS:
            raise InputError(
                f"a trend of slope {self.slope:g} is too slow to be summed up over {waits} waits: "
                "give a smaller --alpha, a stationary model, or times in a coarser unit"
            )
        return moments[stands].tolist(), contexts[of_row].astype(np.int32)

    def _sums(self, ask, life, waits, start, chances, places, depth) -> np.ndarray:
        weights = life.weights(waits)
        here = self.line(start)

        def gained(wait):
            return weights[wait - 1] * chances.at(places + here - self.line(start + wait))

        return accumulated(gained, waits, ask, depth, len(places)) / self.total


def _patience(lives: tuple[Life, ...]) -> float:
    """Waits after which nothing counts any more, however slow a trend is."""
    return max(life.limit if life.kind == "fixed" else _LATE * life.horizon for life in lives)


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
        or not (0 <= bound <= LARGEST_BOUND)
    ):
        raise InputError(
            f"the bound of a trend's noise is {bound!r}: give a number from 0 to {LARGEST_BOUND}"
        )
    return int(bound)
