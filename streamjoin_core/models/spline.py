"""The curve h1 and the surface h2 from a few control points, as the paper keeps them.

Control points are equally spaced over the places (and, for a surface, over the last values) that a
table has; between them run cubic and bicubic splines. After J. Xie, J. Yang, Y. Chen, On joining
and caching stochastic streams, SIGMOD 2005, sections 6.1 and 8.
"""

from dataclasses import replace

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.models.chances import LAST, STATE, Foreseen, Table

_DEGREE = 3


def interpolated(foreseen: Foreseen, grid: int) -> Foreseen:
    """The same look-ups with so many control points along each axis; 0 for all there are."""
    if foreseen.rule not in (LAST, STATE):
        raise InputError(
            "evaluation spline is for the curves of walks and the surfaces of ar1 models: give "
            "evaluation table"
        )
    if grid == 0:
        return foreseen
    smooth = _curves if foreseen.rule == LAST else _surfaces
    tables = [Table(smooth(table.cells, grid), table.first) for table in foreseen.tables]
    return replace(foreseen, tables=tables)


def _curves(cells: np.ndarray, grid: int) -> np.ndarray:
    """Each row of places on its own; mirror images stay equal, since they must tie."""
    from scipy.interpolate import make_interp_spline

    places = cells.shape[2]
    points = _control_points(places, grid)
    spline = make_interp_spline(
        points, cells[:, :, points], k=min(_DEGREE, len(points) - 1), axis=2
    )
    found = spline(np.arange(places))
    is_even = np.array_equal(cells, cells[:, :, ::-1])
    return (found + found[:, :, ::-1]) / 2 if is_even else found


def _surfaces(cells: np.ndarray, grid: int) -> np.ndarray:
    """For each time since the last arrival and each remaining time, a surface over two values."""
    from scipy.interpolate import RectBivariateSpline

    contexts, depth, keys = cells.shape
    points = _control_points(keys, grid)
    degree = min(_DEGREE, len(points) - 1)
    if degree < 1:
        return cells
    found = np.empty_like(cells)
    everywhere = np.arange(keys)
    for start in range(0, contexts, keys):
        for remaining in range(depth):
            surface = cells[start : start + keys, remaining]
            controls = surface[np.ix_(points, points)]
            spline = RectBivariateSpline(points, points, controls, kx=degree, ky=degree)
            found[start : start + keys, remaining] = spline(everywhere, everywhere)
    return found


def _control_points(number: int, grid: int) -> np.ndarray:
    """Of so many places the middle one is a control point if `grid` is odd."""
    return np.unique(np.rint(np.linspace(0, number - 1, min(grid, number))).astype(int))
