"""Shedding under a budget as a person reads it in a terminal of 80 columns."""

from itertools import groupby

from rich.console import Group
from rich.table import Table
from rich.text import Text

from streamjoin_core.report.shed import ShedReport, ShedRun
from streamjoin_core.report.table import (
    conditions,
    join_headline,
    memory_text,
    number_text,
    plain_table,
)
from streamjoin_core.trace.units import UNITS_PER_SECOND

# Columns of the table of losses, with the causes that make up each.
_CAUSES = {
    "not\nentered": ("entry_shed",),
    "not\nprobed": ("probe_shed",),
    "no budget\nto enter": ("entry_unpaid",),
    "no budget\nto join": ("probe_unpaid",),
    "memory": ("memory_dropped", "memory_evicted", "policy_expired"),
}
_CODES = {"cpu": "C", "memory": "M", "both": "=", "neither": "."}


def shed_table(report: ShedReport) -> Group:
    """What was asked, what each strategy gave and cost, and what it lost by which cause."""
    groups = [
        list(runs) for _, runs in groupby(report.runs, lambda run: (run.label, run.budget, run.mem))
    ]
    parts = [Text(line) for line in [join_headline(report), conditions(report.options)]]
    parts += [Text(_terms(report)), Text("")]
    parts.append(_results(groups))
    parts += [Text("\nLost, in % of the exact join, by cause"), _losses(groups)]
    if report.options["mem"]:
        parts += [Text("\nWhich limit cost more results over time (C processor, M memory, . none)")]
        parts += [Text(f"{_head(runs[0])}\n  {_binding(runs[0])}") for runs in groups]
    if report.summaries:
        parts.append(Text(f"\nMeans over {report.options['seeds']} seeds"))
    return Group(*parts)


def _terms(report: ShedReport) -> str:
    options, run = report.options, report.runs[0]
    learnt = options["frequencies"]
    if learnt == "learnt":
        learnt = f"learnt from the first {options['learnt_rows']:,} rows"
    else:
        learnt = f"from the {learnt}"
    return (
        f"costs {options['update_cost']:g} a tuple, {options['production_cost']:g} a result; "
        f"full join {run.full_cost:,.6g}; {_burst(report)}frequencies {learnt}"
    )


def _burst(report: ShedReport) -> str:
    """How much may be spent at once, in time, as it is the same for all budgets."""
    times = [run.burst / run.rate for run in report.runs if run.rate > 0]
    if not times:
        return ""
    unit = report.options["time_unit"]
    length = max(times) / UNITS_PER_SECOND[unit]
    return f"burst the budget of {length:,.6g}{' s' if unit else ''}; "


def _results(groups: list[list[ShedRun]]) -> Table:
    has_memory = any(runs[0].mem is not None for runs in groups)
    memory = ["mem"] if has_memory else []
    headings = ["strategy", "budget", *memory, "results", "recall", "of the\nbest"]
    table = plain_table([*headings, "per time\nforeseen", "per time\nfound", "cost\nused %"])
    for runs in groups:
        first = runs[0]
        table.add_row(
            first.label,
            first.budget,
            *([memory_text(first.mem)] if has_memory else []),
            f"{round(_mean(runs, 'results')):,}",
            number_text(_mean(runs, "recall")),
            number_text(_mean(runs, "ratio_to_bound")),
            _rate(_mean(runs, "predicted_rate")),
            _rate(_mean(runs, "measured_rate")),
            f"{100 * _mean(runs, 'cost') / first.allowed:.1f}",
        )
    return table


def _losses(groups: list[list[ShedRun]]) -> Table:
    table = plain_table(["strategy", "budget", *_CAUSES])
    for runs in groups:
        exact = runs[0].exact
        cells = []
        for causes in _CAUSES.values():
            lost = sum(run.losses[cause] for run in runs for cause in causes) / len(runs)
            cells.append(f"{100 * lost / exact:.2f}" if exact else "-")
        table.add_row(runs[0].label, runs[0].budget, *cells)
    return table


def _head(run: ShedRun) -> str:
    return f"{run.label}, budget {run.budget}, memory {memory_text(run.mem)}"


def _binding(run: ShedRun) -> str:
    return "".join(_CODES[period["binds"]] for period in run.over_time)


def _mean(runs: list[ShedRun], name: str) -> float | None:
    values = [getattr(run, name) for run in runs]
    return None if None in values else sum(values) / len(values)


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
