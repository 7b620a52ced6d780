"""Charts as data: lines over an axis, which others draw into files, terminals and web pages."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from streamjoin_core.options import one_of
from streamjoin_core.report.intervals import interval
from streamjoin_core.report.optimum_files import price_columns, step_times

if TYPE_CHECKING:
    from streamjoin_core.optimal.solution import Solution
    from streamjoin_core.report.optimum import OptimumReport
    from streamjoin_core.report.report import Report

_MOST_POINTS = 100  # over which what jumps from step to step is drawn as means


@dataclass(frozen=True)
class Line:
    """Points in order of x; `low` and `high` bound an area around them."""

    label: str
    x: tuple[int | float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None
    is_bound: bool = False  # drawn dashed: nobody can be better
    holds: bool = False  # whether a value holds until the next one, as steps


@dataclass(frozen=True)
class Chart:
    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    time_unit: str | None = None  # of x, where that is a timestamp
    counts_x: bool = False  # whether only whole numbers make sense


def name_of(path: str) -> str:
    """What to call a trace in a title."""
    return os.path.basename(path) or path


MEASURES = {
    "recall": "recall",
    "importance_recall": "weighed recall",
    "fairness": "fairness",
    "ratio_to_opt": "share of the optimum",
    "hit_ratio": "hit ratio",
}


def check_measure(given: str | None, problem: str) -> str:
    """The measure to show, by default the one that the problem is about."""
    choices = [name for name in MEASURES if (name == "hit_ratio") == (problem == "caching")]
    choices += ["fairness"] if problem == "caching" else []
    return choices[0] if given is None else one_of("measure", given, choices)


def memory_chart(report: "Report", measure: str) -> Chart:
    """A measure of every policy over memory; over seeds its mean, in a 95 % interval."""
    lines = []
    for label, runs in groupby(report.runs, key=lambda run: run.label):
        points = sorted(measured(runs, measure), key=lambda point: point["mem"])
        columns = {name: tuple(point[name] for point in points) for name in points[0]}
        has_interval = columns["low"] != columns["high"]
        lines.append(
            Line(
                label,
                columns["mem"],
                columns["mean"],
                columns["low"] if has_interval else None,
                columns["high"] if has_interval else None,
                is_bound=label.partition(":")[0] in ("opt", "lfd"),
            )
        )
    title = name_of(report.trace["path"])
    return Chart(title, "memory (tuples)", MEASURES[measure], tuple(lines), counts_x=True)


def measured(runs: Iterable, measure: str) -> list[dict]:
    """Mean and interval of a measure for each memory; undefined ones are nan, which is not drawn.

    The runs are those of one policy, with the seeds of a memory one after the other.
    """
    points = []
    for mem, seeds in groupby(runs, key=lambda run: run.mem):
        values = [getattr(run, measure) for run in seeds]
        if len(values) > 1:
            found = interval(values) or dict.fromkeys(("mean", "low", "high"), np.nan)
        else:
            found = dict.fromkeys(("mean", "low", "high"), _number(values[0]))
        points.append({"mem": mem, **found})
    return points


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def optimum_chart(report: "OptimumReport") -> Chart:
    """The best recall for each memory; where it is not closed, an area from lower to upper."""
    runs = sorted(report.runs, key=lambda run: run.mem)
    counts_results = report.options["objective"] == "results"
    whole = (runs[0].exact if counts_results else runs[0].exact_importance) or 1
    memories = tuple(run.mem for run in runs)
    lower, upper = (tuple(getattr(run, side) / whole for run in runs) for side in _SIDES)
    if any(run.status == "bound" for run in runs):
        lines = (
            Line("lower bound", memories, lower, lower, upper),
            Line("upper bound", memories, upper, is_bound=True),
        )
    else:
        lines = (Line("optimum", memories, lower),)
    label = "largest recall" if counts_results else "largest weighed recall"
    title = name_of(report.trace["path"])
    return Chart(title, "memory (tuples)", label, lines, counts_x=True)


_SIDES = ("lower", "upper")


def prices_chart(solution: "Solution") -> Chart:
    """What one more slot of memory would have gained per step, over time."""
    times = step_times(solution)
    trace = solution.join.trace
    return Chart(
        title=f"{name_of(trace.origin)}, memory {sum(solution.kept):,}",
        x_label="time",
        y_label=f"price of a slot ({solution.benefit.objective} per step)",
        lines=tuple(
            coarse_line(name.removeprefix("price_"), times, prices)
            for name, prices in price_columns(solution).items()
        ),
        time_unit=trace.time_unit,
    )


def coarse_line(label: str, x: np.ndarray, y: np.ndarray) -> Line:
    """A line of means over equally many points each, as steps."""
    width = max(1, -(-len(y) // _MOST_POINTS))
    starts = np.arange(0, len(y), width)
    means = y[:0]
    if len(y):
        means = np.add.reduceat(y, starts) / np.diff(np.append(starts, len(y)))
    return Line(label, tuple(x[::width].tolist()), tuple(means.tolist()), holds=True)
