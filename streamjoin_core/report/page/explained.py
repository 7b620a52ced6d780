"""The explanations of a page: one part for each policy."""

from dataclasses import astuple
from html import escape
from typing import TYPE_CHECKING

from streamjoin_core.report.page.tables import facts, table

if TYPE_CHECKING:
    from streamjoin_core.explanation.report import Explanation


def explained(explanations: tuple["Explanation", ...]) -> str:
    """Each policy's losses, the first one's shown at once."""
    parts = []
    for place, told in enumerate(explanations):
        opened = " open" if place == 0 else ""
        name = f"{told.label}: {told.lost:,} results lost"
        parts.append(f"<details{opened}><summary>{escape(name)}</summary>{_losses(told)}</details>")
    return "".join(parts)


def _losses(told: "Explanation") -> str:
    sums = facts(
        {
            "exact join": told.exact,
            "results": told.results,
            "lost": told.lost,
            "lost, and the optimum has them": told.only_optimum,
            "got, and the optimum has them not": told.only_run,
        }
    )
    if not told.lost:
        return sums
    return (
        sums
        + table(
            "By cause",
            ["cause", "tuples", "lost", "optimum has", "beside an idle tuple"],
            [list(astuple(cause)) for cause in told.causes],
        )
        + table(
            "By stream",
            ["stream", "arrivals", "lost", "optimum has"],
            [[str(stream.stream), *astuple(stream)[1:]] for stream in told.streams],
        )
        + table(
            "Keys with the largest losses",
            ["key", "exact", "results", "lost", "optimum has"],
            [[str(key.key), *astuple(key)[1:]] for key in told.keys],
        )
        + table(
            "The worst decisions",
            _OF_A_DECISION,
            [_decision(worst) for worst in told.worst],
        )
    )


_OF_A_DECISION = [
    "row",
    "arrived",
    "stream",
    "key",
    "cause",
    "left",
    "gave",
    "lost",
    "optimum has",
    "stayed instead",
    "which gave then",
]


def _decision(worst) -> list:
    return [
        worst.row,
        str(worst.time),
        str(worst.stream),
        str(worst.key),
        worst.cause,
        str(worst.left_at),
        worst.produced,
        worst.lost,
        worst.had_by_optimum,
        worst.stayed_row,
        worst.stayed_produced,
    ]
