"""Finding the parameters that make a likelihood largest."""

from collections.abc import Callable

import numpy as np

_PRECISION = 1e-5  # of a standard error


def largest(function: Callable, start: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Where a smooth function of a few numbers is largest, by the simplex of Nelder and Mead.

    `errors` are about the standard errors of the start, in which steps are measured.
    """
    from scipy.optimize import minimize

    corners = np.vstack([np.zeros(len(start)), np.eye(len(start))])
    found = minimize(
        lambda place: -function(start + errors * place),
        np.zeros(len(start)),
        method="Nelder-Mead",
        options={"initial_simplex": corners, "xatol": _PRECISION, "fatol": 1e-8, "maxfev": 2000},
    )
    return start + errors * found.x


def largest_between(function: Callable, low: float, high: float) -> float:
    """Where a function of one number with one peak is largest."""
    from scipy.optimize import minimize_scalar

    options = {"xatol": 1e-9 * (high - low)}
    found = minimize_scalar(
        lambda place: -function(place), bounds=(low, high), method="bounded", options=options
    )
    return float(found.x)
