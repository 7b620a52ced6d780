"""How well a fitted model tells what was seen.

Each scored arrival is placed in the distribution that the model gave it: at u, drawn evenly between
the probabilities of less and of at most its key. If the model is true, all u are independent and
even between 0 and 1, and the residuals, normal numbers with as much below them, are standard
normal (P. K. Dunn, G. K. Smyth, Randomized quantile residuals, 1996). The draws have a fixed seed.
Since parameters were fitted to the same arrivals, p-values are a little too kind.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.models.fitting._candidate import Candidate

_BINS = 20  # at most; five arrivals each at least
_LAGS = 10
_EDGE = 1e-15  # residuals of impossible values are at the edge


@dataclass(frozen=True)
class Goodness:
    """Tests of the residuals; small p-values tell against the model."""

    ks: float  # Kolmogorov-Smirnov: largest distance from an even distribution
    ks_p: float
    chi_square: float  # of equal bins
    chi_square_p: float
    autocorrelation: float  # of neighbouring residuals
    ljung_box: float  # of the first lags together
    ljung_box_p: float


def residuals(candidate: Candidate) -> np.ndarray:
    """Standard normal numbers, if the model is true."""
    from scipy.special import ndtri

    return ndtri(np.clip(_places(candidate), _EDGE, 1 - _EDGE))


def goodness(candidate: Candidate) -> Goodness:
    from scipy.special import chdtrc, kolmogorov

    places = np.sort(_places(candidate))
    number = len(places)
    steps = np.arange(number + 1) / number
    distance = float(max((steps[1:] - places).max(), (places - steps[:-1]).max()))
    bins = max(2, min(_BINS, number // 5))
    found = np.bincount(np.minimum((places * bins).astype(int), bins - 1), minlength=bins)
    chi_square = float(((found - number / bins) ** 2).sum() / (number / bins))
    correlations = correlations_of(residuals(candidate), _LAGS)
    weights = number * (number + 2) / (number - np.arange(1, len(correlations) + 1))
    ljung_box = float(weights @ correlations**2)
    return Goodness(
        distance,
        float(kolmogorov(distance * np.sqrt(number))),
        chi_square,
        float(chdtrc(bins - 1, chi_square)),
        float(correlations[0]),
        ljung_box,
        float(chdtrc(len(correlations), ljung_box)),
    )


def _places(candidate: Candidate) -> np.ndarray:
    lots = np.random.default_rng(0).random(len(candidate.mass))
    return np.clip(candidate.below + lots * candidate.mass, 0.0, 1.0)


def correlations_of(numbers: np.ndarray, most: int) -> np.ndarray:
    """With the numbers one, two, ... places on."""
    off = numbers - numbers.mean()
    lags = range(1, min(most, len(off) // 2) + 1)
    return np.array([off[lag:] @ off[:-lag] for lag in lags]) / (off @ off)
