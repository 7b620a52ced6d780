"""The age curve: how many results a tuple of a stream has at each age.

    p(k) = results at age k / tuples of the stream,    C(k) = p(1) + ... + p(k)

They are kept as whole counts, since ties between fractions decide runs.

Reference: U. Srivastava, J. Widom, Memory-limited execution of windowed stream joins, VLDB 2004,
sections 2.2 and 3.2.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

_NEAR = 1e-12  # rounded quotients that are so near may be equal


@dataclass(frozen=True, eq=False)
class AgeCurve:
    """One stream's curve; with a granularity g, place k - 1 holds the ages over (k - 1) g to k g.

    Counts that pass 62 bits are Python's own numbers, in an array of objects.
    """

    counts: np.ndarray  # int64 or object [place]: results at these ages
    tuples: int  # over which they are to be divided
    window: int  # the largest age that occurs, in the window's clock (time, or tuples)
    granularity: int = 1
    errors: np.ndarray | None = None  # standard errors of p, where it is from a sample

    @cached_property
    def totals(self) -> np.ndarray:
        """Counts up to each place, from 0 for nothing."""
        if self.counts.dtype == object:
            return np.array([0, *np.cumsum(self.counts)], object)
        return np.concatenate(([0], np.cumsum(self.counts)))

    @property
    def shares(self) -> np.ndarray:
        """p: results of a tuple at each place."""
        return self.counts.astype(float) / max(1, self.tuples)

    @property
    def results(self) -> float:
        """n: the results of a tuple in its whole life."""
        return float(self.totals[-1]) / max(1, self.tuples)

    @property
    def places(self) -> int:
        return len(self.counts)

    def until(self, age: np.ndarray | float) -> np.ndarray:
        """C at any age, in between on a straight line."""
        ages = np.arange(self.places + 1) * float(self.granularity)
        return np.interp(age, ages, self.totals.astype(float) / max(1, self.tuples))

    @cached_property
    def best_place(self) -> int:
        """The first place k at which C(k) / k is largest; 0 if there are no results."""
        if self.totals[-1] == 0:
            return 0
        places = np.arange(1, self.places + 1)
        rates = self.totals[1:].astype(float) / places
        near = places[rates >= rates.max() * (1 - _NEAR)].tolist()
        return min(near, key=lambda place: (-Fraction(int(self.totals[place]), place), place))

    @property
    def best_age(self) -> int | None:
        """k_opt: the age until which a tuple gives most results per time; None without results."""
        return self.best_place * self.granularity or None
