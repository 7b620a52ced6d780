"""What each tuple's leaving cost, and whether it had to be."""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.joining import Join
from streamjoin_core.engine.loop import DROPPED, EVICTED
from streamjoin_core.explanation.counting import partners_between, results_of_arrivals
from streamjoin_core.explanation.fates import Fates, is_blamed
from streamjoin_core.optimal.production import Partners, find_partners

_SHORT_OF_MEMORY = (DROPPED, EVICTED)


class Losses(NamedTuple):
    """Columns with one value per row, of pairs with later rows."""

    partners: Partners
    produced: np.ndarray  # int64: pairs that the run has
    lost: np.ndarray  # int64: pairs that its leaving lost
    had_by_optimum: np.ndarray | None  # int64: of these, pairs that the optimum has
    only_here: np.ndarray | None  # int64: pairs that the run has and the optimum has not
    idle_until: np.ndarray  # int64: up to which row another one was held that gave nothing more
    beside_idle: np.ndarray  # int64: lost pairs before that row
    arrived_to: np.ndarray  # int64: results of the row with earlier ones, of the run
    arrived_to_optimum: np.ndarray | None  # int64: likewise, of the optimum
    brought: np.ndarray  # int64: likewise, of unlimited memory


def find_losses(join: Join, parts: tuple[int, ...], fates: Fates, best: Fates | None) -> Losses:
    """Compare a run with unlimited memory, and with the optimum if there is one."""
    partners = find_partners(join)
    until = np.minimum(fates.until, partners.end)
    nothing, everything = np.zeros_like(until), partners.end
    produced, last = partners_between(join, partners, nothing, until)
    lost, _ = partners_between(join, partners, until, everything)
    had = only = of_optimum = None
    if best is not None:
        best_until = np.minimum(best.until, partners.end)
        had, _ = partners_between(join, partners, until, best_until)
        only, _ = partners_between(join, partners, best_until, until)
        of_optimum = results_of_arrivals(join, best_until)
    idle_until = _idle_until(join, len(parts), fates, until, last)
    beside_idle, _ = partners_between(join, partners, until, idle_until)
    return Losses(
        partners=partners,
        produced=produced,
        lost=np.where(is_blamed(fates), lost, 0),
        had_by_optimum=had,
        only_here=only,
        idle_until=idle_until,
        beside_idle=beside_idle,
        arrived_to=results_of_arrivals(join, until),
        arrived_to_optimum=of_optimum,
        brought=results_of_arrivals(join, partners.end),
    )


def _idle_until(
    join: Join, parts: int, fates: Fates, until: np.ndarray, last: np.ndarray
) -> np.ndarray:
    """Up to which row a tuple that left could have had the place of one that gave nothing more.

    Somebody is idle from its last result on, or from its arrival if it had none. The one that
    leaves had a place to go if another, in the same part of the memory, was idle by then; how long
    it could have stayed there is how long the longest of them was held.
    """
    number = len(until)
    idle_from = np.maximum(last, np.arange(number))
    found = np.zeros(number, np.int64)
    wanting = np.isin(fates.way, _SHORT_OF_MEMORY)
    for part in range(parts):
        is_member = np.full(number, True) if parts == 1 else join.rows.stream == part
        kept = np.flatnonzero(is_member & (fates.way != DROPPED))
        kept = kept[np.argsort(idle_from[kept], kind="stable")]
        longest = np.concatenate(([0], np.maximum.accumulate(until[kept])))
        leavers = np.flatnonzero(is_member & wanting)
        found[leavers] = longest[np.searchsorted(idle_from[kept], until[leavers])]
    return found
