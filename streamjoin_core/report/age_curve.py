"""Age curves as tables and as a picture."""

import os

import numpy as np
from rich.console import Group
from rich.text import Text

from streamjoin_core.age.curve import AgeCurve
from streamjoin_core.age.report import AgeCurves, error_of_results
from streamjoin_core.age.shape import name_shape
from streamjoin_core.report.chart import Chart, coarse_line
from streamjoin_core.report.picture import picture
from streamjoin_core.report.table import plain_table

_ROWS = 20  # of a table; longer curves are shown in buckets
_COLORS = ("#1f4e79", "#d1603d")
_MOST_POINTS = 500


def curves_text(found: AgeCurves) -> Group:
    """Each stream's curve in words and in numbers."""
    parts = [Text(f"{found.trace['path']}: {found.trace['rows']:,} rows")]
    for label, curve in found.curves.items():
        parts += [Text(""), Text(_described(label, curve))]
        parts += [_table(curve)] if curve.results else []
    return Group(*parts)


def _described(label: str, curve: AgeCurve) -> str:
    told = f"stream {label}: {curve.tuples:,} tuples, {curve.results:.4g} results each"
    told += f", shape: {name_shape(curve)}"
    if curve.best_age is not None:
        told += f", k_opt {curve.best_age:,}"
    error = error_of_results(curve)
    return told + (f", error {100 * error:.2g} %" if error is not None else "")


def _table(curve: AgeCurve):
    """p and C over at most so many buckets of ages."""
    has_errors = curve.errors is not None
    table = plain_table(["age", "p", *(["error"] if has_errors else []), "C", "C / age"])
    width = max(1, -(-curve.places // _ROWS))
    totals = curve.totals / max(1, curve.tuples)
    for start in range(0, curve.places, width):
        end = min(start + width, curve.places)
        age = end * curve.granularity
        p, error = totals[end] - totals[start], ""
        if has_errors:
            error = f"{np.sqrt((curve.errors[start:end] ** 2).sum()):.4f}"
        cells = [f"{age:,}", f"{p:.4f}", *([error] if has_errors else [])]
        table.add_row(*cells, f"{totals[end]:.4f}", f"{totals[end] / age:.6f}")
    return table


def age_chart(curves: dict[str, AgeCurve], unit: str) -> Chart:
    """The results of a tuple of each stream by its age, in means over neighbouring ages."""
    lines = [
        coarse_line(label, (np.arange(curve.places) + 1) * curve.granularity, curve.shares)
        for label, curve in curves.items()
    ]
    return Chart("", f"age ({unit})", "results of a tuple", tuple(lines))


def plot_age_curves(found: AgeCurves, path: str | os.PathLike) -> None:
    """Results at each age, and k_opt as a line."""
    with picture(path) as (axes,):
        for (label, curve), color in zip(found.curves.items(), _COLORS, strict=False):
            width = max(1, -(-curve.places // _MOST_POINTS))
            ages = np.arange(0, curve.places, width)
            heights = np.add.reduceat(curve.shares, ages) / width if len(ages) else ages
            axes.plot((ages + width) * curve.granularity, heights, color=color, label=label)
            if curve.errors is not None and width == 1:
                low, high = heights - 2 * curve.errors, heights + 2 * curve.errors
                axes.fill_between(ages + 1, low, high, color=color, alpha=0.12, linewidth=0)
            if curve.best_age is not None:
                axes.axvline(curve.best_age, color=color, linestyle=":", label=f"k_opt of {label}")
        axes.set_xlabel("age")
        axes.set_ylabel("results of a tuple")
        axes.set_ylim(0, None)
        axes.set_title(os.path.basename(found.trace["path"]))
        axes.legend(frameon=False)
