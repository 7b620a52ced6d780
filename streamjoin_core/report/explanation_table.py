"""An explanation as a person reads it in a terminal of 80 columns."""

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from streamjoin_core.report.table import conditions, plain_table

if TYPE_CHECKING:
    from streamjoin_core.explanation.report import Explanation

_PERIODS_SHOWN = 10
_BARS = 20  # characters of the longest bar


def explanation_table(told: "Explanation") -> Group:
    """The sum, then losses by cause, stream, key and time, and the worst decisions."""
    parts = [Text(line) for line in _head(told)]
    if not told.lost:
        return Group(*parts, Text("\nNothing was lost."))
    parts += [Text("\nBy cause"), _causes(told)]
    parts += [Text("\nBy stream of the tuple that left"), _streams(told)]
    if told.keys:
        parts += [Text("\nKeys with the largest losses"), _keys(told)]
    parts += [Text("\nOver time"), _periods(told)]
    if told.worst:
        parts += [Text("\nThe worst decisions"), _worst(told)]
    return Group(*parts)


def _head(told: "Explanation") -> list[str]:
    lines = [
        f"{told.trace['path']}: {told.trace['rows']:,} rows; {told.label}, memory {told.mem:,}",
        conditions(told.options),
        "",
        f"exact join      {told.exact:>12,}",
        f"results         {told.results:>12,}",
        f"lost            {told.lost:>12,}",
    ]
    if told.optimum is not None:
        lines += [
            f"the optimum has {told.optimum:>12,}",
            f"  of the lost   {told.only_optimum:>12,}  it has, and this run has not",
            f"  of the results{told.only_run:>12,}  this run has, and the optimum has not",
        ]
    return lines


def _count(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def _causes(told: "Explanation"):
    table = plain_table(["cause", "tuples", "lost", "optimum\nhas", "beside\nan idle one"])
    for cause in told.causes:
        counts = (cause.tuples, cause.lost, cause.had_by_optimum, cause.beside_idle)
        table.add_row(cause.cause, *map(_count, counts))
    return table


def _streams(told: "Explanation"):
    table = plain_table(["stream", "arrivals", "lost", "optimum\nhas"])
    for stream in told.streams:
        counts = (stream.arrivals, stream.lost, stream.had_by_optimum)
        table.add_row(str(stream.stream), *map(_count, counts))
    return table


def _keys(told: "Explanation"):
    table = plain_table(["key", "exact", "results", "lost", "optimum\nhas"])
    for key in told.keys:
        counts = (key.exact, key.results, key.lost, key.had_by_optimum)
        table.add_row(str(key.key), *map(_count, counts))
    return table


def _periods(told: "Explanation"):
    """Several periods at a time, with a bar for what was lost."""
    table = plain_table(["from", "exact", "results", "optimum", "lost", ""])
    table.columns[-1].justify = "left"
    width = -(-len(told.periods) // _PERIODS_SHOWN)
    rows = []
    for start in range(0, len(told.periods), width):
        group = told.periods[start : start + width]
        optimum = None if told.optimum is None else sum(period.optimum for period in group)
        exact, results = (sum(getattr(p, name) for p in group) for name in ("exact", "results"))
        rows.append((str(group[0].first_time), exact, results, optimum, exact - results))
    most = max((row[-1] for row in rows), default=0) or 1
    for first, *counts in rows:
        table.add_row(first, *map(_count, counts), "#" * round(_BARS * counts[-1] / most))
    return table


def _worst(told: "Explanation"):
    headings = ["row", "on", "key", "left at", "gave", "lost", "optimum\nhas", "stayed"]
    table = plain_table([*headings, "gave\nthen"])
    for worst in told.worst:
        table.add_row(
            f"{worst.row:,}",
            str(worst.stream),
            str(worst.key),
            str(worst.left_at),
            _count(worst.produced),
            _count(worst.lost),
            _count(worst.had_by_optimum),
            "-" if worst.stayed_row is None else f"{worst.stayed_row:,}",
            _count(worst.stayed_produced),
        )
    return table
