"""Pictures of shedding: recall over the budget, or cost and lost results over time."""

import os

import numpy as np

from streamjoin_core.report.picture import picture
from streamjoin_core.report.shed import ShedReport, ShedRun


def plot_shedding(report: ShedReport, path: str | os.PathLike) -> None:
    """Over the budget if there are several, else over time; with a memory, what either limit cost.

    Of runs that differ in their seeds only, the first is drawn.
    """
    runs = list({(run.label, run.budget, run.mem): run for run in reversed(report.runs)}.values())
    runs.reverse()
    is_over_budgets = len(report.options["budget"]) > 1
    has_memory = bool(report.options["mem"])
    with picture(path, panels=1 + has_memory, size=(7 + 5 * has_memory, 4.2)) as panels:
        if is_over_budgets:
            _draw_recall(panels[0], runs)
        else:
            _draw_cost(panels[0], runs, report.options["time_unit"])
        if has_memory:
            _draw_limits(panels[1], runs[-1], report.options["time_unit"])
        panels[0].set_title(os.path.basename(report.trace["path"]) or report.trace["path"])


def _draw_recall(axes, runs: list[ShedRun]) -> None:
    for label in dict.fromkeys(_name(run) for run in runs):
        own = sorted((_budget_share(run), run.recall or 0.0) for run in runs if _name(run) == label)
        axes.plot(*zip(*own, strict=True), marker="o", markersize=3.5, label=label)
    axes.set_xlabel("budget (share of the full join's cost)")
    axes.set_ylabel("recall")
    axes.set_ylim(0, None)
    axes.legend(frameon=False, fontsize=8)


def _draw_cost(axes, runs: list[ShedRun], unit: str | None) -> None:
    for run in runs:
        # A plan for the whole trace has no rate: its budget is shared out evenly.
        evenly = run.allowed / max(1, len(run.over_time))
        spent = [period["spent"] / (period["allowed"] or evenly) for period in run.over_time]
        _draw_over_time(axes, run, spent, unit, _name(run))
    axes.axhline(1, color="0.3", linewidth=0.8, linestyle="--")
    axes.set_xlabel("time")
    axes.set_ylabel("cost used (share of the budget)")
    axes.set_ylim(0, None)
    axes.legend(frameon=False, fontsize=8)


def _draw_limits(axes, run: ShedRun, unit: str | None) -> None:
    for name, label in (("lost_to_cpu", "to the processor"), ("lost_to_memory", "to the memory")):
        lost = [period[name] for period in run.over_time]
        _draw_over_time(axes, run, lost, unit, label)
    axes.set_title(f"{run.label}, budget {run.budget}, memory {run.mem:,}")
    axes.set_xlabel("time")
    axes.set_ylabel("results lost")
    axes.set_ylim(0, None)
    axes.legend(frameon=False, fontsize=8)


def _name(run: ShedRun) -> str:
    return run.label if run.mem is None else f"{run.label}, memory {run.mem:,}"


def _budget_share(run: ShedRun) -> float:
    """The budget as a share of the full join's cost, without the burst."""
    allowed = run.allowed - run.burst + run.rate if run.rate > 0 else run.allowed
    return allowed / run.full_cost if run.full_cost > 0 else 0.0


def _draw_over_time(axes, run: ShedRun, values: list, unit: str | None, label: str) -> None:
    """Steps, of which the last one lasts until its period ends."""
    ends = [period["to"] for period in run.over_time[-1:]]
    times = np.array([*(period["from"] for period in run.over_time), *ends], np.int64)
    times = times.astype(f"datetime64[{unit}]") if unit else times
    axes.plot(times, [*values, *values[-1:]], drawstyle="steps-post", label=label)
