"""Pictures of the offline optimum: what memory gains, and what it was worth at each time."""

import os
from typing import TYPE_CHECKING

import numpy as np

from streamjoin_core.report.optimum_files import price_columns, step_times
from streamjoin_core.report.picture import picture

if TYPE_CHECKING:
    from streamjoin_core.optimal.solution import Solution
    from streamjoin_core.report.optimum import OptimumReport

_DARK, _BRIGHT = "#1f4e79", "#d1603d"
_MOST_POINTS = 100  # over which prices are drawn as means, since they jump from step to step
_MOST_MARKED = 20  # points of a curve


def plot_curve(report: "OptimumReport", path: str | os.PathLike) -> None:
    """The best recall for each memory; where it is not closed, a band from lower to upper."""
    runs = sorted(report.runs, key=lambda run: run.mem)
    objective = report.options["objective"]
    whole = runs[0].exact if objective == "results" else runs[0].exact_importance
    memories = [run.mem for run in runs]
    lower, upper = ([getattr(run, side) / (whole or 1) for run in runs] for side in _SIDES)
    with picture(path) as (axes,):
        marker = "o" if len(runs) <= _MOST_MARKED else None
        axes.plot(memories, lower, color=_DARK, marker=marker, markersize=4, label="optimum")
        if any(run.status == "bound" for run in runs):
            axes.lines[0].set_label("lower bound")
            axes.plot(memories, upper, color=_BRIGHT, linestyle="--", label="upper bound")
            axes.fill_between(memories, lower, upper, color=_BRIGHT, alpha=0.12, linewidth=0)
            axes.legend(frameon=False, loc="lower right")
        axes.set_xlabel("memory (tuples)")
        axes.set_ylabel("largest recall" if objective == "results" else "largest weighed recall")
        axes.set_ylim(0, None)
        axes.set_title(_name(report.trace["path"]))
        axes.xaxis.get_major_locator().set_params(integer=True)


_SIDES = ("lower", "upper")


def plot_prices(solution: "Solution", path: str | os.PathLike) -> None:
    """What one more slot of memory would have gained per step, over time."""
    times = step_times(solution)
    unit = solution.join.trace.time_unit
    if unit:
        times = times.astype(f"datetime64[{unit}]")
    columns = price_columns(solution)
    with picture(path) as (axes,):
        for (name, prices), color in zip(columns.items(), (_DARK, _BRIGHT), strict=False):
            width = max(1, -(-len(prices) // _MOST_POINTS))
            label = name.removeprefix("price_")
            means = _means(prices, width)
            axes.plot(times[::width], means, color=color, drawstyle="steps-post", label=label)
        if len(columns) > 1:
            axes.legend(frameon=False)
        else:
            axes.fill_between(times[::width], means, color=color, alpha=0.12, lw=0, step="post")
        gained = solution.benefit.objective
        axes.set_xlabel("time")
        axes.set_ylabel(f"price of a slot ({gained} per step)")
        axes.set_ylim(0, None)
        axes.set_title(f"{_name(solution.join.trace.origin)}, memory {sum(solution.kept):,}")


def _means(values: np.ndarray, width: int) -> np.ndarray:
    """Of so many values at a time."""
    starts = np.arange(0, len(values), width)
    return np.add.reduceat(values, starts) / np.diff(np.append(starts, len(values)))


def _name(path: str) -> str:
    return os.path.basename(path) or path
