"""An experiment's findings as a picture: one panel beside the other, with one legend."""

import os
from itertools import cycle
from math import nan

from streamjoin_core.experiments.base import Curve, Panel
from streamjoin_core.experiments.run import ExperimentReport
from streamjoin_core.report.chart import Chart, Line
from streamjoin_core.report.picture import picture

# Told apart by everyone (Okabe and Ito 2008); black is for what nobody can beat.
_BEST, _BLACK = ("opt", "lfd", "exact"), "#000000"
_COLORS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#cc79a7",
    "#56b4e9",
    "#8a6d3b",
    "#7f7f7f",
)
_MARKERS = "sD^vP*Xh"
_MOST_MARKED = 20  # points of a curve
_HANDLE, _CHARACTERS = 6, 11  # a label's mark, and an inch, in characters
_GROUP, _WIDEST = 0.84, 0.5  # of the room between two groups of bars: all, and one


def panel_charts(report: ExperimentReport) -> list[Chart]:
    """The panels of curves, for the terminal; bars are in the table as well."""
    return [
        Chart(panel.title, panel.x, panel.y, tuple(map(_line, panel.curves)))
        for panel in report.findings.panels
        if not panel.bars
    ]


def _line(curve: Curve) -> Line:
    places = sorted(curve.values)
    means, _, _ = _numbers(curve, places)
    return Line(curve.label, tuple(places), tuple(means))


def plot_findings(report: ExperimentReport, path: str | os.PathLike) -> None:
    """Draw all panels; an interval is a band around a curve, or a line on a bar."""
    panels = report.findings.panels
    labels = list(dict.fromkeys(curve.label for panel in panels for curve in panel.curves))
    styles = _styles(labels)
    rows = -(-len(panels) // 2)
    size = (7.5, 4.8) if len(panels) == 1 else (11, 0.8 + 3.8 * rows)
    with picture(path, len(panels), size) as drawn:
        for panel, axes in zip(panels, drawn, strict=True):
            draw = _draw_bars if panel.bars else _draw_lines
            draw(axes, panel, styles)
            axes.set_title(panel.title)
            axes.set_xlabel(panel.x)
            axes.set_ylabel(panel.y)
            axes.yaxis.set_major_formatter("{x:,g}")
        if len({panel.y for panel in panels}) == 1:
            highest = max(axes.get_ylim()[1] for axes in drawn)
            for axes in drawn:
                axes.set_ylim(top=highest)
        if len(labels) > 1:
            _draw_legend(drawn, labels)


def _styles(labels: list[str]) -> dict[str, tuple[str, str]]:
    """A colour and a marker for each label."""
    others = [label for label in labels if label not in _BEST]
    pairs = zip(cycle(_COLORS), cycle(_MARKERS), strict=False)
    return dict.fromkeys(_BEST, (_BLACK, "o")) | dict(zip(others, pairs, strict=False))


def _draw_legend(drawn: list, labels: list[str]) -> None:
    """One legend for all panels, above them."""
    handles = {}
    for axes in drawn:
        own, names = axes.get_legend_handles_labels()
        handles |= dict(zip(names, own, strict=True))
    figure = drawn[0].figure
    width, height = figure.get_size_inches()
    characters = sum(len(label) + _HANDLE for label in labels)
    columns = -(-len(labels) // -(-characters // int(width * _CHARACTERS)))
    lines = -(-len(labels) // columns)
    figure.legend(
        [handles[label] for label in labels],
        labels,
        loc="upper center",
        ncols=columns,
        frameon=False,
        columnspacing=1.2,
        handlelength=1.4,
    )
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - (0.05 + 0.22 * lines) / height))


def _draw_lines(axes, panel: Panel, styles: dict[str, tuple[str, str]]) -> None:
    for curve in panel.curves:
        color, marker = styles[curve.label]
        places = list(curve.values)
        means, lows, highs = _numbers(curve, places)
        if len(places) > _MOST_MARKED or len(set(means)) == 1:
            marker = None
        axes.plot(
            places, means, color=color, marker=marker, markersize=4, lw=1.5, label=curve.label
        )
        axes.fill_between(places, lows, highs, color=color, alpha=0.15, linewidth=0)
    if all(low >= 0 for line in axes.lines for low in line.get_ydata()):
        axes.set_ylim(0, None)
    if all(isinstance(place, int) for place in panel.places()):
        axes.xaxis.get_major_locator().set_params(integer=True)


def _draw_bars(axes, panel: Panel, styles: dict[str, tuple[str, str]]) -> None:
    places = panel.places()
    width = min(_GROUP / len(panel.curves), _WIDEST)
    for number, curve in enumerate(panel.curves):
        means, lows, highs = _numbers(curve, places)
        aside = (number - (len(panel.curves) - 1) / 2) * width
        at = [group + aside for group in range(len(places))]
        errors = [
            [mean - low for mean, low in zip(means, lows, strict=True)],
            [high - mean for mean, high in zip(means, highs, strict=True)],
        ]
        color, _ = styles[curve.label]
        axes.bar(at, means, width * 0.92, color=color, label=curve.label)
        axes.errorbar(at, means, errors, fmt="none", ecolor="0.35", elinewidth=1)
    axes.set_xticks(range(len(places)), [str(place) for place in places])
    axes.set_xlim(-0.6, len(places) - 0.4)
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0)


def _numbers(curve: Curve, places: list) -> tuple[list[float], list[float], list[float]]:
    """Means and intervals; where there is none, the mean itself, or nothing to draw."""
    found = [curve.estimate(place) or (nan, None, None) for place in places]
    means = [mean for mean, _, _ in found]
    lows = [mean if low is None else low for mean, low, _ in found]
    highs = [mean if high is None else high for mean, _, high in found]
    return means, lows, highs
