"""The offline optimum as a person reads it in a terminal of 80 columns."""

from rich.console import Group
from rich.text import Text

from streamjoin_core.optimal.estimate import Estimate, format_bytes
from streamjoin_core.report.optimum import OptimumReport, OptimumRun
from streamjoin_core.report.partitions import sharing
from streamjoin_core.report.table import conditions, join_headline, number_text, plain_table


def optimum_table(report: OptimumReport) -> Group:
    """What was asked, the optimum for each memory, and how it was found."""
    shared = [sharing(report.partitions)] if report.partitions else []
    head = [join_headline(report), conditions(report.options), *shared, ""]
    parts = [Text(line) for line in head]
    parts.append(_runs(report))
    parts.append(Text(f"\n{_how(report)}"))
    if any(run.status == "bound" for run in report.runs):
        parts.append(Text("bound: the optimum is somewhere from lower to upper"))
    if report.certificate:
        parts.append(Text(_proof(**report.certificate)))
    return Group(*parts)


def _proof(mem: int, primal: int | float, dual: int | float, holds: bool) -> str:
    verdict = "equal, so nobody can do better" if holds else "no proof"
    return f"memory {mem:,}: primal {_amount(primal)}, dual {_amount(dual)}: {verdict}"


def _runs(report: OptimumReport):
    is_bound = any(run.status == "bound" for run in report.runs)
    objective = report.options["objective"]
    recall = "recall" if objective == "results" else "importance_recall"
    bounds = ["lower", "upper", "gap %"] if is_bound else [objective]
    is_compared = any(run.unpartitioned is not None for run in report.runs)
    compared = ["not cut", "cost %"] if is_compared else []
    weighed = recall.replace("importance_", "weighed ")
    table = plain_table(["mem", *bounds, weighed, *compared, "status"])
    for run in report.runs:
        cells = _bounds(run) if is_bound else [_amount(run.lower)]
        cells.append(number_text(getattr(run, recall)))
        cells += _cost(run) if is_compared else []
        table.add_row(f"{run.mem:,}", *cells, run.status)
    return table


def _bounds(run: OptimumRun) -> list[str]:
    gap = (run.upper - run.lower) / run.upper if run.upper else 0.0
    return [_amount(run.lower), _amount(run.upper), f"{100 * gap:.2f}"]


def _cost(run: OptimumRun) -> list[str]:
    """What memory could do if it were not cut, and the share that cutting it costs."""
    if run.unpartitioned is None:
        return ["-", "-"]
    cost = 1 - run.lower / run.unpartitioned if run.unpartitioned else 0.0
    return [_amount(run.unpartitioned), f"{100 * cost:.2f}"]


def _amount(value: int | float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4f}"


def _how(report: OptimumReport) -> str:
    run, solver = report.runs[0], report.options["solver"]
    if report.options["bound"]:
        return f"{run.graph} graph, by parts, {report.seconds_to_solve:.2f} s"
    size = f" of {run.nodes:,} nodes, {run.arcs:,} arcs" if run.nodes is not None else ""
    return (
        f"{run.graph} graph{size}; {report.seconds_to_build:.2f} s to build, "
        f"{report.seconds_to_solve:.2f} s to solve by {solver}"
    )


def estimate_text(found: Estimate, memories: int, solver: str) -> str:
    """What a solve would take, in sentences."""
    several = f"one solve for all {memories:,} memories" if memories > 1 else "one solve"
    if solver != "sjoin":
        several = f"{memories:,} by {solver}, which takes longer"
    sizes = "" if found.graph == "match" else "at most "
    return (
        f"method  {found.graph} graph, {several}\n"
        f"nodes   {sizes}{found.nodes:,}\n"
        f"arcs    {sizes}{found.arcs:,}\n"
        f"memory  about {format_bytes(found.bytes)} beside the trace (estimate)\n"
        f"time    about {_seconds(found.seconds)} (rough estimate)"
    )


def _seconds(seconds: float) -> str:
    if seconds < 1:
        return "a second or less"
    return f"{seconds:,.0f} s" if seconds < 300 else f"{seconds / 60:,.0f} min"
