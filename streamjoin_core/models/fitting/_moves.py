"""Moves of a stream from one value to the next, as walks and AR(1) see them.

A walk is an AR(1) with phi1 = 1, since its values are whole numbers: both round phi0 + phi1 x + N
at every unit of time. Over one unit the probabilities are exact. Over k units those of the model
itself (convolved steps, or the chain) are used where they take little time; else the k rounded
steps are taken for a normal distribution of their mean and variance, which for a sigma above 1 is
as good:

    mean       phi0 (1 + phi1 + ... + phi1^(k-1)) + phi1^k x
    variance   sigma^2 (1 + phi1^2 + ... + phi1^(2k-2)) + (phi1^2 + ... + phi1^(2k-2)) / 12
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.models.fitting._series import Series
from streamjoin_core.models.numbers import normal_mass

_LONGEST_GAP = 100  # typical one: with longer ones the unit of time is not the process's
APPROXIMATED = (
    "moves over several units of time are taken for normal ones of the same mean and variance"
)


@dataclass(frozen=True, eq=False)
class Moves:
    """The distinct moves of a series."""

    last: np.ndarray  # int64
    value: np.ndarray  # int64
    gap: np.ndarray  # int64: units of time from one to the other
    count: np.ndarray  # how often
    of_scored: np.ndarray  # per scored arrival the number of its move
    gaps: np.ndarray  # the distinct ones, ascending
    gap_of: np.ndarray  # per move the number of its gap

    def __len__(self) -> int:
        return len(self.of_scored)


def moves_of(series: Series, from_zero: bool = False) -> Moves:
    """All moves that are scored; from 0 where only the distance matters."""
    rows = series.scored
    typical = int(np.median(series.gap[rows]))
    if typical > _LONGEST_GAP:
        raise InputError(
            f"its arrivals are about {typical:,} units of time apart, but the model moves at each: "
            "give times in a coarser unit"
        )
    last, value = series.values[rows - 1], series.values[rows]
    if from_zero:
        last, value = np.zeros_like(last), value - last
    columns = np.column_stack([last, value, series.gap[rows]])
    distinct, of_scored, count = np.unique(columns, axis=0, return_inverse=True, return_counts=True)
    gaps, gap_of = np.unique(distinct[:, 2], return_inverse=True)
    return Moves(*distinct.T, count, of_scored.ravel(), gaps, gap_of)


def normal_moves(phi0: float, phi1: float, sigma: float, moves: Moves):
    """Per distinct move the probabilities of a smaller value and of the value itself."""
    from scipy.special import ndtr

    low, high = _edges(phi0, phi1, sigma, moves)
    return ndtr(low), normal_mass(low, high)


def _edges(phi0: float, phi1: float, sigma: float, moves: Moves):
    """Between which standard normal numbers each move is."""
    power, squares = phi1**moves.gaps, phi1 ** (2 * moves.gaps)
    steps = moves.gaps if phi1 == 1 else (1 - power) / (1 - phi1)
    spread = moves.gaps if phi1 == 1 else (1 - squares) / (1 - phi1**2)
    deviation = np.sqrt(sigma**2 * spread + (spread - 1) / 12)[moves.gap_of]
    centred = moves.value - power[moves.gap_of] * moves.last - (phi0 * steps)[moves.gap_of]
    return (centred - 0.5) / deviation, (centred + 0.5) / deviation
