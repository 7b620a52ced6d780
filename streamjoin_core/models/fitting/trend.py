"""Fitting a linear trend with normal, bounded normal or uniform noise.

The likelihood is constant in slope and intercept wherever all values of the line round alike. So
lines are tried: around the least-squares line, which suits normal noise, and around the one whose
farthest value is nearest, which suits uniform noise; each also with fewer digits. Of the lines that
are as likely as the likeliest, but for what luck decides, the one with the fewest digits is taken:
it is read easily and goes on better. The noise is then fitted to what each line leaves: a bound is
the farthest value, since a wider one makes all values less likely.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from math import exp, log, sqrt

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.models.fitting._candidate import Candidate, log_sum, short
from streamjoin_core.models.fitting._optimum import largest_between
from streamjoin_core.models.fitting._series import Series
from streamjoin_core.models.numbers import normal_mass
from streamjoin_core.models.trend import LARGEST_BOUND, Trend

_SIGNIFICANT = 2  # standard errors from which on a slope counts as one
_DIGITS = 12  # of a slope, after the point
_SIDES = np.linspace(-2, 2, 9)  # standard errors by which lines are moved
_JUDGED = 12  # lines of each sort that are tried with each noise
_LUCK = 3.0  # of a log-likelihood: half the 95 % quantile of chi-square, for two parameters
_SMALLEST_SIGMA = 0.05  # rounded, less is no noise at all

Line = tuple[float, float]  # slope and intercept


def fit(series: Series) -> list[Candidate]:
    """The likeliest line for each kind of noise."""
    values, time = series.values.astype(float), series.time
    lines = _promising(_lines(values, time), values, time)
    left = [_counted(_left(line, values, time)) for line in lines]
    noises = [("normal", 3, _normal), ("bounded normal", 4, _bounded), ("uniform", 3, _uniform)]
    candidates = []
    for name, parameters, fitted in noises:
        found = [fitted(*counted) for counted in left]
        likelihoods = [
            -np.inf if noise is None else log_sum(_masses(noise, places), counts)
            for noise, (places, counts) in zip(found, left, strict=True)
        ]
        enough = max(likelihoods) - _LUCK
        chosen = next(n for n, likelihood in enumerate(likelihoods) if likelihood >= enough)
        if found[chosen]:
            candidates.append(_candidate(name, parameters, lines[chosen], found[chosen], series))
    return candidates


def _candidate(name: str, parameters: int, line: Line, noise: dict, series: Series) -> Candidate:
    model = Trend(*line, noise.get("sigma"), noise.get("bound"))
    first, weights = model.noise()
    chance = weights / model.total
    place = _left(line, series.values.astype(float), series.time)[series.scored] - first
    is_inside = (place >= 0) & (place < len(chance))
    place = np.where(is_inside, place, 0)
    below = (np.cumsum(chance) - chance)[place]
    entry = {"kind": "trend", "slope": line[0], "intercept": line[1], "noise": noise}
    mass = np.where(is_inside, chance[place], 0.0)
    return Candidate(f"trend, {name} noise", entry, parameters, below, mass)


def _lines(values: np.ndarray, time: np.ndarray) -> Iterator[Line]:
    """Lines to try, with few digits first."""
    span = int(time[-1] - time[0]) if len(time) else 0
    if span == 0:
        raise InputError("all its arrivals are at one time: give --kind stationary")
    moment = time - time[0]
    centred = moment - moment.mean()
    slope = float(centred @ values / (centred @ centred))
    rest = values - slope * centred
    deviation = float(rest.std())
    error = deviation / sqrt(centred @ centred)
    if abs(slope) <= _SIGNIFICANT * error or abs(slope) * span < 1:
        raise InputError("its keys do not drift: give --kind stationary or ar1")
    nearest = _nearest_line(values, moment, slope, 2 * np.ptp(rest) / span)
    starts = [(slope, np.mean), (nearest, _middle)]
    for digits, after in product(range(_DIGITS), (0, 1, 2, _DIGITS)):
        for exact, mean in starts:
            rounded = round(exact, digits)
            yield rounded, round(float(mean(values - rounded * time)), after) + 0.0
    for side, lift in product(_SIDES, _SIDES):
        moved = round(float(slope + side * error), _DIGITS)
        off = lift * deviation / sqrt(len(values))
        yield moved, round(float(np.mean(values - moved * time) + off), _DIGITS)


def _nearest_line(values: np.ndarray, moment: np.ndarray, slope: float, off: float) -> float:
    """The slope of the line whose farthest value is nearest."""
    if off == 0:
        return slope
    return largest_between(lambda one: -np.ptp(values - one * moment), slope - off, slope + off)


def _middle(left: np.ndarray) -> float:
    return (left.min() + left.max()) / 2


def _promising(lines: Iterable[Line], values: np.ndarray, time: np.ndarray) -> list[Line]:
    """Lines that may be the likeliest by some noise, in order.

    Those of the smallest squares, those of few digits with squares as small but for luck, and those
    whose farthest value is nearest.
    """
    tried = list(dict.fromkeys(lines))
    lefts = (_left(line, values, time).astype(float) for line in tried)
    sizes = np.array([(left @ left, np.abs(left).max()) for left in lefts])
    squares, farthest = sizes.T
    if farthest.min() > LARGEST_BOUND:
        raise InputError("its keys are too far from any line: give --kind stationary")
    as_small = squares <= squares.min() * exp(2 * _LUCK / len(values))
    judged = {
        *squares.argsort(kind="stable")[:_JUDGED].tolist(),
        *np.flatnonzero(as_small)[:_JUDGED].tolist(),
        *farthest.argsort(kind="stable")[:_JUDGED].tolist(),
    }
    return [tried[number] for number in sorted(judged) if farthest[number] <= LARGEST_BOUND]


def _counted(left: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct numbers and how often each occurs."""
    first = left.min()
    counts = np.bincount(left - first)
    places = np.flatnonzero(counts)
    return places + first, counts[places]


def _left(line: Line, values: np.ndarray, time: np.ndarray) -> np.ndarray:
    """What the rounded line leaves of each value, as whole numbers."""
    slope, intercept = line
    return (values - np.floor(slope * time + intercept + 0.5)).astype(np.int64)


def _normal(left: np.ndarray, count: np.ndarray) -> dict | None:
    if not left.any():
        return None
    return {"kind": "normal", "sigma": _sigma(left, count, None)}


def _bounded(left: np.ndarray, count: np.ndarray) -> dict | None:
    if not left.any():
        return None
    bound = int(np.abs(left).max())
    return {"kind": "normal", "sigma": _sigma(left, count, bound), "bound": bound}


def _uniform(left: np.ndarray, count: np.ndarray) -> dict:
    return {"kind": "uniform", "bound": int(np.abs(left).max())}


def _sigma(left: np.ndarray, count: np.ndarray, bound: int | None) -> float:
    """The likeliest deviation; as a bounded one grows, its noise becomes uniform."""
    usual = sqrt(float(count @ left**2) / count.sum())

    def log_likelihood(log_sigma):
        return log_sum(_rounded(left, exp(log_sigma), bound), count)

    low = max(_SMALLEST_SIGMA, usual / 5)
    return short(exp(largest_between(log_likelihood, log(low), log(5 * usual + 1))))


def _rounded(left: np.ndarray, sigma: float, bound: int | None) -> np.ndarray:
    """Probabilities of rounded normal noise within its bound."""
    mass = normal_mass((left - 0.5) / sigma, (left + 0.5) / sigma)
    if bound is None:
        return mass
    edge = np.array(bound + 0.5) / sigma
    return mass / normal_mass(-edge, edge)


def _masses(noise: dict, left: np.ndarray) -> np.ndarray:
    if noise["kind"] == "uniform":
        return np.full(len(left), 1 / (2 * noise["bound"] + 1))
    return _rounded(left, noise["sigma"], noise.get("bound"))
