"""A sweep as a person reads it: memories down, policies across."""

from itertools import groupby

from rich.console import Group
from rich.text import Text

from streamjoin_core.report.chart import MEASURES, measured
from streamjoin_core.report.report import Report
from streamjoin_core.report.table import headline, number_text, plain_table

_MOST_ROWS = 20
_WIDTH = 80
_LEAST = 7  # of a column: a number


def sweep_table(report: Report, measure: str) -> Group:
    """One measure of every policy for each memory, or for some of them if there are many."""
    curves = {
        label: {point["mem"]: point for point in measured(runs, measure)}
        for label, runs in groupby(report.runs, key=lambda run: run.label)
    }
    memories = list(dict.fromkeys(run.mem for run in report.runs))
    shown = _some(memories)
    parts = [Text(line) for line in (*headline(report), "", f"{MEASURES[measure]} by memory")]
    for labels in _side_by_side(curves, report):
        parts += [Text(""), _table(curves, labels, shown)]
    parts += [Text(note) for note in _notes(report, len(memories), len(shown))]
    return Group(*parts)


def _some(memories: list[int]) -> list[int]:
    """All of them, or so many, evenly from the first to the last."""
    if len(memories) <= _MOST_ROWS:
        return memories
    last = len(memories) - 1
    return [memories[last * place // (_MOST_ROWS - 1)] for place in range(_MOST_ROWS)]


def _table(curves: dict, labels: list[str], shown: list[int]):
    table = plain_table(["mem", *labels])
    for mem in shown:
        table.add_row(f"{mem:,}", *(_cell(curves[label][mem]) for label in labels))
    return table


def _cell(point: dict) -> str:
    mean = None if point["mean"] != point["mean"] else point["mean"]
    if mean is None or point["low"] == point["high"]:
        return number_text(mean)
    return f"{number_text(mean)} ±{point['high'] - mean:.4f}"


def _side_by_side(curves: dict, report: Report) -> list[list[str]]:
    """Policies in groups that fit side by side."""
    random = {summary["label"] for summary in report.summaries}
    groups, used = [[]], _LEAST
    for label in curves:
        width = 1 + max(len(label), _LEAST + (_LEAST + 1 if label in random else 0))
        if used + width > _WIDTH and groups[-1]:
            groups.append([])
            used = _LEAST
        groups[-1].append(label)
        used += width
    return groups


def _notes(report: Report, memories: int, shown: int) -> list[str]:
    notes = []
    if report.summaries:
        notes.append(f"\n±: 95 % confidence interval of the mean over {report.options['seeds']}")
        notes[-1] += " seeds"
    if shown < memories:
        blank = "" if notes else "\n"
        notes.append(f"{blank}{shown} of {memories} memories; --output writes all")
    return notes
