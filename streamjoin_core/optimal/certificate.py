"""The proof that a schedule is the best one: prices of memory at which nobody could gain more.

The schedule is replayed and the prices give an upper bound, both from the join alone. If the two
totals are equal, the schedule is optimal, whatever solver it comes from.
"""

from dataclasses import dataclass
from math import isclose

import numpy as np

from streamjoin_core.optimal.benefit import Benefit
from streamjoin_core.optimal.prices import upper_bound
from streamjoin_core.optimal.schedule import Schedule, streams_of_parts

_RELATIVE_ERROR = 1e-9  # of importances that are no whole numbers of units


@dataclass(frozen=True, eq=False)
class Certificate:
    """Totals in whole units of benefit, so that they can be compared exactly."""

    benefit: Benefit
    prices: tuple[np.ndarray, ...]  # int64 [step], of each part: for a slot until the next step
    primal: int  # what the schedule gains
    dual: int  # memory * sum of prices + sum of surpluses: what no schedule can exceed
    fits: bool  # whether the schedule never holds more than the memory
    importance: float | None  # what the schedule gains before any rounding to units

    @property
    def holds(self) -> bool:
        return self.fits and self.primal == self.dual and self._is_well_rounded

    @property
    def _is_well_rounded(self) -> bool:
        if self.benefit.is_exact:
            return True
        in_units = self.benefit.value(self.primal)
        return isclose(self.importance, in_units, rel_tol=_RELATIVE_ERROR)


def certify(schedule: Schedule, benefit: Benefit, prices: tuple[np.ndarray, ...]) -> Certificate:
    """Compare a schedule with the bound that prices give, one for each step, in each part."""
    parts = zip(schedule.parts, prices, streams_of_parts(len(schedule.parts)), strict=True)
    return Certificate(
        benefit=benefit,
        prices=prices,
        primal=int(schedule.units.sum()),
        dual=sum(upper_bound(schedule.join, benefit, *part) for part in parts),
        fits=all(
            held <= size for held, size in zip(schedule.most_held, schedule.parts, strict=True)
        ),
        importance=None if schedule.importance is None else float(schedule.importance.sum()),
    )
