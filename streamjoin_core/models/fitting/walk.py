"""Fitting a random walk with drift to the moves of a stream."""

from math import exp, log, sqrt

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.models.fitting._candidate import Candidate, log_sum, short
from streamjoin_core.models.fitting._moves import APPROXIMATED, Moves, moves_of, normal_moves
from streamjoin_core.models.fitting._optimum import largest
from streamjoin_core.models.fitting._series import Series
from streamjoin_core.models.numbers import REACH
from streamjoin_core.models.walk import Walk

_MOST_PRODUCTS = 2e7  # of a likelihood by convolved steps


def fit(series: Series) -> list[Candidate]:
    """Drift and sigma of one unit of time."""
    moves = moves_of(series, from_zero=True)
    start = _by_moments(moves)
    chances = _chances(start, moves)

    def log_likelihood(place):
        drift, log_sigma = place
        return log_sum(chances(Walk(drift, exp(log_sigma)), moves)[1], moves.count)

    root = sqrt(len(moves))
    drift, log_sigma = largest(
        log_likelihood,
        np.array([start.drift, log(start.sigma)]),
        np.array([start.sigma / root, 1 / root]),
    )
    model = Walk(short(drift), short(exp(log_sigma)))
    below, mass = (part[moves.of_scored] for part in chances(model, moves))
    entry = {"kind": "walk", "drift": model.drift, "sigma": model.sigma}
    is_exact = chances is _convolved or moves.gaps[-1] == 1
    return [Candidate("walk", entry, 2, below, mass, None if is_exact else APPROXIMATED)]


def _by_moments(moves: Moves) -> Walk:
    drift = (moves.count * moves.value).sum() / (moves.count * moves.gap).sum()
    off = (moves.value - drift * moves.gap) ** 2 / moves.gap
    variance = float((moves.count * off).sum() / len(moves))
    if variance == 0:
        raise InputError("it takes the same step at each unit of time: give --kind trend")
    return Walk(float(drift), sqrt(max(variance - 1 / 12, 1 / 50)))


def _chances(start: Walk, moves: Moves):
    """How to compute probabilities: exactly, or as good as."""
    farthest = (2 * REACH * start.sigma + 2) * moves.gaps[-1]
    products = farthest**2 * moves.gaps[-1] * len(moves.gaps)
    return _convolved if moves.gaps[-1] > 1 and products < _MOST_PRODUCTS else _normal


def _normal(model: Walk, moves: Moves):
    return normal_moves(model.drift, 1.0, model.sigma, moves)


def _convolved(model: Walk, moves: Moves):
    """Probabilities of the walk itself over each number of units."""
    below, mass = np.zeros(len(moves.gap)), np.zeros(len(moves.gap))
    first, _ = model.step()
    for gap in moves.gaps.tolist():
        own = moves.gap == gap
        values = np.arange(min(gap * first, int(moves.value[own].min())), moves.value.max() + 1)
        chance = model.probability(values, 0, gap)
        place = moves.value[own] - values[0]
        mass[own] = chance[place]
        below[own] = (np.cumsum(chance) - chance)[place]
    return below, mass
