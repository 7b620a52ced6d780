"""An experiment's findings as a person reads them in a terminal of 80 columns."""

from collections.abc import Iterator

from rich.console import Group
from rich.table import Table
from rich.text import Text

from streamjoin_core.experiments.base import Estimate, Panel, Place, Setup
from streamjoin_core.experiments.run import ExperimentReport
from streamjoin_core.report.table import UNDEFINED, plain_table

_WIDTH = 80
_MOST_ROWS = 25  # of a table; a curve of more points is thinned out


def findings_table(report: ExperimentReport) -> Group:
    """What was done, a table for each panel, and what became of the paper's claims."""
    parts = [Text(f"{report.experiment.name}: {report.experiment.summary}", "bold")]
    parts += [Text(line) for line in (report.experiment.paper, *_conditions(report))]
    for panel in report.findings.panels:
        parts.append(Text(f"\n{panel.title}: {panel.y}"))
        parts += _tables(panel)
    if report.findings.claims:
        parts += [Text("\nWhat the paper says"), _claims(report)]
    parts += [Text(f"\n{note}") for note in report.findings.notes]
    return Group(*parts)


def _conditions(report: ExperimentReport) -> Iterator[str]:
    setup: Setup = report.setup
    told = []
    if report.experiment.runs is not None:
        runs = "1 run" if setup.runs == 1 else f"{setup.runs:,} runs, mean ± 95 % interval"
        wanted = report.experiment.paper_runs
        told.append(runs)
        if wanted and wanted != setup.runs:
            told.append(f"the paper has {wanted} (--runs {wanted})")
    if setup.steps is not None:
        told.append(f"{setup.steps:,} steps")
    if told:
        yield "; ".join([*told, f"seed {setup.seed}"])


def _tables(panel: Panel) -> Iterator[Table | Text]:
    """Places down and curves across, or the other way round for bars; in blocks that fit."""
    labels = [curve.label for curve in panel.curves]
    places = panel.places()
    shown = _thinned(places)
    names = [_place(place) for place in shown]
    cells = [[_cell(panel, label, place) for place in shown] for label in labels]
    if panel.bars:
        yield from _blocks(["", *names], labels, cells)
    else:
        yield from _blocks(
            [panel.x, *labels], names, [list(row) for row in zip(*cells, strict=True)]
        )
    if len(shown) < len(places):
        yield Text(f"{len(shown)} of {len(places)} points; --output writes all")


def _thinned(places: list[Place]) -> list[Place]:
    every = -(-(len(places) - 1) // (_MOST_ROWS - 1)) if len(places) > _MOST_ROWS else 1
    return places[::every]


def _place(place: Place) -> str:
    return place if isinstance(place, str) else f"{place:,g}"


def _cell(panel: Panel, label: str, place: Place) -> str:
    found: Estimate | None = panel.curve(label).estimate(place)
    if found is None:
        return UNDEFINED
    if found.high is None:
        return panel.number(found.mean)
    return f"{panel.number(found.mean)} ±{panel.number(found.high - found.mean)}"


def _blocks(headings: list[str], names: list[str], cells: list[list[str]]) -> Iterator[Table]:
    """As many tables beside each other's columns as it takes to fit the terminal."""
    widths = [
        max(len(text) for text in [heading, *(row[column] for row in cells)]) + 1
        for column, heading in enumerate(headings[1:])
    ]
    first = max(len(text) for text in [headings[0], *names]) + 1
    start = 0
    while start < len(widths):
        end = start + 1
        while end < len(widths) and first + sum(widths[start : end + 1]) <= _WIDTH:
            end += 1
        table = plain_table([headings[0], *headings[start + 1 : end + 1]])
        table.columns[0].justify = "left"
        for name, row in zip(names, cells, strict=True):
            table.add_row(name, *row[start:end])
        yield table
        start = end


def _claims(report: ExperimentReport) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column()
    for claim in report.findings.claims:
        verdict = Text("holds", "green") if claim.holds else Text("fails", "red")
        table.add_row(verdict, claim.text)
        table.add_row("", Text(claim.found, "dim"))
    return table
