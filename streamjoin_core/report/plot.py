"""Charts as picture files."""

import os

import numpy as np

from streamjoin_core.report.chart import Chart, Line
from streamjoin_core.report.picture import picture

# Told apart by those who see few colours, too.
COLOURS = (
    "#1f4e79",
    "#d1603d",
    "#2a9d5c",
    "#7b4ea3",
    "#b8860b",
    "#148f9e",
    "#c2477f",
    "#6b7280",
)
_MOST_MARKED = 20  # points of a line


def plot_chart(chart: Chart, path: str | os.PathLike) -> None:
    """Draw a chart into a file, all or nothing."""
    with picture(path) as (axes,):
        for place, line in enumerate(chart.lines):
            _draw(axes, chart, line, COLOURS[place % len(COLOURS)])
        if len(chart.lines) > 1:
            axes.legend(frameon=False)
        axes.set_xlabel(chart.x_label)
        axes.set_ylabel(chart.y_label)
        axes.set_ylim(0, None)
        axes.set_title(chart.title)
        if chart.counts_x:
            axes.xaxis.get_major_locator().set_params(integer=True)


def _draw(axes, chart: Chart, line: Line, colour: str) -> None:
    x = np.array(line.x)
    if chart.time_unit:
        x = x.astype(f"datetime64[{chart.time_unit}]")
    axes.plot(
        x,
        line.y,
        color=colour,
        label=line.label,
        linestyle="--" if line.is_bound else "-",
        marker="o" if len(x) <= _MOST_MARKED and not line.holds else None,
        markersize=4,
        drawstyle="steps-post" if line.holds else "default",
    )
    if line.low is not None:
        axes.fill_between(x, line.low, line.high, color=colour, alpha=0.15, linewidth=0)
    elif line.holds and len(chart.lines) == 1:
        axes.fill_between(x, line.y, color=colour, alpha=0.12, linewidth=0, step="post")
