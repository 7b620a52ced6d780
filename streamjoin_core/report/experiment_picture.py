"""An experiment's findings as a picture: one panel beside the other, with one legend."""

import os
from math import nan

from streamjoin_core.experiments.base import Curve, Panel
from streamjoin_core.experiments.run import ExperimentReport
from streamjoin_core.report.picture import picture

# Told apart by everyone (Okabe and Ito 2008), the first for the bound if there is one.
_COLORS = (
    "#000000",
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#cc79a7",
    "#56b4e9",
    "#8a6d3b",
    "#7f7f7f",
)
_MARKERS = "osD^vP*Xh"
_MOST_MARKED = 20  # points of a curve
_GROUP = 0.84  # of the room between two groups of bars


def plot_findings(report: ExperimentReport, path: str | os.PathLike) -> None:
    """Draw all panels; an interval is a band around a curve, or a line on a bar."""
    panels = report.findings.panels
    labels = list(dict.fromkeys(curve.label for panel in panels for curve in panel.curves))
    styles = {label: number for number, label in enumerate(labels)}
    rows = -(-len(panels) // 2)
    size = (7.5, 4.8) if len(panels) == 1 else (11, 0.8 + 3.8 * rows)
    with picture(path, len(panels), size) as drawn:
        for panel, axes in zip(panels, drawn, strict=True):
            draw = _draw_bars if panel.bars else _draw_lines
            draw(axes, panel, styles)
            axes.set_title(panel.title)
            axes.set_xlabel(panel.x)
            axes.set_ylabel(panel.y)
        handles = {}
        for axes in drawn:
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
                handles.setdefault(label, handle)
        if len(labels) > 1:
            figure = drawn[0].figure
            columns = min(len(labels), 4 if len(panels) == 1 else 8)
            lines = -(-len(labels) // columns)
            figure.legend(
                [handles[label] for label in labels],
                labels,
                loc="upper center",
                ncols=columns,
                frameon=False,
            )
            # Room for the legend above the panels.
            figure.get_layout_engine().set(rect=(0, 0, 1, 1 - (0.12 + 0.24 * lines) / size[1]))


def _draw_lines(axes, panel: Panel, styles: dict[str, int]) -> None:
    for curve in panel.curves:
        style = styles[curve.label]
        places = list(curve.values)
        means, lows, highs = _numbers(curve, places)
        color = _COLORS[style % len(_COLORS)]
        marker = _MARKERS[style % len(_MARKERS)] if len(places) <= _MOST_MARKED else None
        axes.plot(
            places, means, color=color, marker=marker, markersize=4, lw=1.5, label=curve.label
        )
        axes.fill_between(places, lows, highs, color=color, alpha=0.15, linewidth=0)
    if all(low >= 0 for line in axes.lines for low in line.get_ydata()):
        axes.set_ylim(0, None)


def _draw_bars(axes, panel: Panel, styles: dict[str, int]) -> None:
    places = panel.places()
    width = _GROUP / len(panel.curves)
    for number, curve in enumerate(panel.curves):
        means, lows, highs = _numbers(curve, places)
        at = [
            group + (number - (len(panel.curves) - 1) / 2) * width for group in range(len(places))
        ]
        errors = [
            [mean - low for mean, low in zip(means, lows, strict=True)],
            [high - mean for mean, high in zip(means, highs, strict=True)],
        ]
        color = _COLORS[styles[curve.label] % len(_COLORS)]
        axes.bar(at, means, width * 0.92, color=color, label=curve.label)
        axes.errorbar(at, means, errors, fmt="none", ecolor="0.35", elinewidth=1)
    axes.set_xticks(range(len(places)), [str(place) for place in places])
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0)


def _numbers(curve: Curve, places: list) -> tuple[list[float], list[float], list[float]]:
    """Means and intervals; where there is none, the mean itself, or nothing to draw."""
    found = [curve.estimate(place) or (nan, None, None) for place in places]
    means = [mean for mean, _, _ in found]
    lows = [mean if low is None else low for mean, low, _ in found]
    highs = [mean if high is None else high for mean, _, high in found]
    return means, lows, highs
