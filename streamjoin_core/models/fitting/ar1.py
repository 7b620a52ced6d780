"""Fitting AR(1) to the moves of a stream, given its first value."""

from math import exp, log, sqrt

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.models.ar1 import Ar1
from streamjoin_core.models.fitting._candidate import Candidate, log_sum, short
from streamjoin_core.models.fitting._moves import APPROXIMATED, Moves, moves_of, normal_moves
from streamjoin_core.models.fitting._optimum import largest
from streamjoin_core.models.fitting._series import Series

_MOST_PRODUCTS = 1e7  # of a likelihood by powers of the chain


def fit(series: Series) -> list[Candidate]:
    """phi0, phi1 and sigma of one unit of time."""
    moves = moves_of(series)
    start, middle, deviation = _by_least_squares(moves)
    chances = _chances(start, moves)

    def model_at(place):
        # By the mean after the middle value, which hardly depends on phi1 as phi0 does.
        mean, phi1, log_sigma = place
        return Ar1(mean - phi1 * middle, phi1, exp(log_sigma))

    def log_likelihood(place):
        model = model_at(place)
        if not abs(model.phi1) < 1:
            return -np.inf
        return log_sum(chances(model, moves)[1], moves.count)

    root = sqrt(len(moves))
    found = largest(
        log_likelihood,
        np.array([start.phi0 + start.phi1 * middle, start.phi1, log(start.sigma)]),
        np.array([start.sigma, start.sigma / deviation, 1.0]) / root,
    )
    model = model_at(found)
    model = Ar1(*map(short, (model.phi0, model.phi1, model.sigma)))
    below, mass = (part[moves.of_scored] for part in chances(model, moves))
    entry = {"kind": "ar1", "phi0": model.phi0, "phi1": model.phi1, "sigma": model.sigma}
    is_exact = chances is _chained or moves.gaps[-1] == 1
    return [Candidate("ar1", entry, 3, below, mass, None if is_exact else APPROXIMATED)]


def _by_least_squares(moves: Moves) -> tuple[Ar1, float, float]:
    """Where to start from; also the mean and the deviation of the values moved from.

    Over the usual gap of k units the slope is phi1^k.
    """
    usual = moves.gaps[np.bincount(np.searchsorted(moves.gaps, moves.gap), moves.count).argmax()]
    own = moves.gap == usual
    count, last, value = moves.count[own], moves.last[own], moves.value[own]
    total = count.sum()
    middle, mean = float(count @ last / total), float(count @ value / total)
    variance = float(count @ (last - middle) ** 2 / total)
    if variance == 0:
        raise InputError("it hardly ever leaves one value: give --kind stationary")
    slope = float(count @ ((last - middle) * (value - mean)) / total / variance)
    rest = float(count @ (value - mean - slope * (last - middle)) ** 2 / total)
    if rest == 0:
        raise InputError("each value follows from the one before: give --kind trend")
    if slope >= 1:
        raise InputError(f"its phi1 would be {slope ** (1 / usual):.6g}: give --kind walk")
    phi1 = slope if usual == 1 else max(slope, 1e-3) ** (1 / usual)
    spread = (1 - phi1 ** (2 * usual)) / (1 - phi1**2)
    sigma = sqrt(max(rest / spread - 1 / 12, 1 / 50))
    level = (mean - phi1**usual * middle) / ((1 - phi1**usual) / (1 - phi1))
    return Ar1(level, phi1, sigma), middle, sqrt(variance)


def _chances(start: Ar1, moves: Moves):
    """How to compute probabilities: exactly, or as good as."""
    if moves.gaps[-1] == 1:
        return _normal
    try:
        states = start.states(*_ends(moves))
    except InputError:  # too wide a chain
        return _normal
    products = len(states) ** 3 * len(moves.gaps) * log(moves.gaps[-1], 2)
    return _chained if products < _MOST_PRODUCTS else _normal


def _ends(moves: Moves) -> tuple[int, int]:
    values = np.concatenate([moves.last, moves.value])
    return int(values.min()), int(values.max())


def _normal(model: Ar1, moves: Moves):
    return normal_moves(model.phi0, model.phi1, model.sigma, moves)


def _chained(model: Ar1, moves: Moves):
    """Probabilities of the chain itself over each number of units."""
    below, mass = np.zeros(len(moves.gap)), np.zeros(len(moves.gap))
    try:
        states = model.states(*_ends(moves))
    except InputError:  # parameters on the way that make it too wide
        return below, mass
    matrix = model.matrix(states)
    for gap in moves.gaps.tolist():
        own = moves.gap == gap
        chance = np.linalg.matrix_power(matrix, gap)
        place = moves.last[own] - states[0], moves.value[own] - states[0]
        mass[own] = chance[place]
        below[own] = (np.cumsum(chance, axis=1) - chance)[place]
    return below, mass
