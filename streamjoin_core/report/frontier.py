"""A frontier as a table and as a picture: importance against fairness."""

import os

from rich.console import Group
from rich.text import Text

from streamjoin_core.frontier import MEASURES, Frontier
from streamjoin_core.report.picture import picture
from streamjoin_core.report.table import conditions, join_headline, number_text, plain_table


def frontier_table(found: Frontier) -> Group:
    """All runs by fairness; those on the frontier are marked."""
    table = plain_table(["policy", "fairness", "weighed\nrecall", "results", ""])
    marks = dict(zip((run.label for run in found.settings), found.is_efficient, strict=True))
    for run in sorted(found.report.runs, key=lambda run: -(run.fairness or 0)):
        measures = (number_text(getattr(run, measure)) for measure in MEASURES)
        mark = "frontier" if marks.get(run.label) else ""
        table.add_row(run.label, *measures, f"{run.results:,}", mark)
    described = [join_headline(found.report), conditions(found.report.options), ""]
    return Group(*map(Text, described), table)


def plot_frontier(found: Frontier, path: str | os.PathLike) -> None:
    """Every setting is a point, the frontier a line, and each of the others has its name."""
    with picture(path, size=(7.5, 4.8)) as (axes,):
        points = [_point(run) for run in found.settings]
        axes.plot(*_columns(points), "o", color="#56b4e9", ms=4, label=found.settings[0].policy)
        best = sorted(p for p, is_best in zip(points, found.is_efficient, strict=True) if is_best)
        axes.plot(*_columns(best), "o-", color="#0072b2", ms=5, lw=1.5, label="its frontier")
        for run in found.others:
            x, y = _point(run)
            if x is not None and y is not None:
                axes.plot([x], [y], "D", color="#d55e00", ms=5)
                axes.annotate(run.label, (x, y), (5, 4), textcoords="offset points", fontsize=8)
        axes.set_xlabel("fairness of lifetimes (Jain's index)")
        axes.set_ylabel("share of the whole join's importance")
        axes.set_ylim(0, None)
        axes.legend(frameon=False)


def _point(run) -> tuple[float | None, float | None]:
    return tuple(getattr(run, measure) for measure in MEASURES)


def _columns(points: list[tuple]) -> tuple[list, list]:
    defined = [point for point in points if None not in point]
    return [x for x, _ in defined], [y for _, y in defined]
