"""What is maximised, in whole numbers, so that every sum is exact and nothing can wrap around.

Results count 1 each. Importances are multiplied by a power of two: without any rounding if that
makes all of them integers small enough for their sum to stay below 2**60, as it does for integers,
quarters and the like. Otherwise they are rounded to the finest unit for which the sum does. That is
a better sum than one of doubles: for a million results its relative error is below 1e-12.
"""

from dataclasses import dataclass
from math import floor, isfinite, log2

import numpy as np

from streamjoin_core.engine.compiled import inner
from streamjoin_core.engine.joining import Join
from streamjoin_core.engine.rules import COMBINATIONS, pair_importance
from streamjoin_core.errors import InputError
from streamjoin_core.options import OBJECTIVES, one_of

_DIGITS_OF_SUM = 60
_MOST_DIGITS = 1000  # doubles have little more


@dataclass(frozen=True)
class Benefit:
    """The gain of each result."""

    objective: str
    scale: float  # whole units in 1; 0 when every pair counts as one unit
    unit: float  # the value of one unit
    is_exact: bool  # whether all gains are whole numbers of units

    @property
    def is_equal_for_all(self) -> bool:
        return self.scale == 0

    def value(self, units: int) -> int | float:
        """So many units as results or importance."""
        return int(units) if self.objective == "results" else int(units) * self.unit


def find_benefit(join: Join, objective: str) -> Benefit:
    """The gain of each result of a join under an objective."""
    one_of("objective", objective, OBJECTIVES)
    if objective == "results":
        return Benefit(objective, 0.0, 1.0, True)
    if len(join.rows.importance) == 0:
        return Benefit(objective, 0.0, join.weight_of_a_pair, True)
    digits, is_exact = _digits_to_keep(join)
    return Benefit(objective, 2.0**digits, 2.0**-digits, is_exact)


def _digits_to_keep(join: Join) -> tuple[int, bool]:
    """How many digits after the binary point importances are given, and whether those are all."""
    total = float(join.exact_importance[:, 0].sum())
    if total == 0:
        return 0, True
    if not isfinite(total):
        raise InputError("the importances are too large to add up: divide them by a constant")
    weights = join.rows.redefined.ravel() if len(join.rows.period) else join.rows.importance
    needed = _binary_digits(weights)
    if COMBINATIONS[join.rules.combination] == "product":
        needed *= 2
    digits = min(needed, floor(_DIGITS_OF_SUM - log2(total)))
    if digits > _MOST_DIGITS:
        raise InputError("the importances are too small to add up: multiply them by a constant")
    return digits, needed == digits


def _binary_digits(values: np.ndarray) -> int:
    """How many digits after the binary point numbers have; less than 0 if they end before it.

    >>> _binary_digits(np.array([0.0, 0.75, 12.0])), _binary_digits(np.array([12.0, 8.0]))
    (2, -2)
    """
    fraction, exponent = np.frexp(values[values > 0])
    digits = (fraction * 2.0**53).astype(np.int64)
    last_digit = np.frexp((digits & -digits).astype(float))[1] - 1
    return int((53 - exponent - last_digit).max())


@inner
def weigh(rows, rules, scale, one, other):
    """The gain of a pair, in units."""
    if scale == 0:
        return np.int64(1)
    return np.int64(np.rint(pair_importance(rows, rules, one, other) * scale))
