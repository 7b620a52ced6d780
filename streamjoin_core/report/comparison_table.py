"""A comparison as a person reads it."""

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from streamjoin_core.report.table import memory_text, number_text, plain_table

if TYPE_CHECKING:
    from streamjoin_core.comparison import Comparison, Difference


def comparison_table(found: "Comparison", only_significant: bool = False) -> Group:
    """What was asked differently, then all runs that both have."""
    first, second = found.paths
    parts = [Text(f"a: {first}\nb: {second}")]
    if not found.same_trace:
        parts.append(Text("The traces differ, so the runs are of different arrivals.", "yellow"))
    for name, (one, other) in found.options.items():
        parts.append(Text(f"{name}: {_short(one)} in a, {_short(other)} in b"))
    shown = [one for one in found.differences if one.is_significant or not only_significant]
    parts += [Text(""), _table(shown)]
    for name, runs in (("a", found.only_first), ("b", found.only_second)):
        if runs:
            parts.append(Text(f"only in {name}: {', '.join(runs)}"))
    parts.append(Text("\n*: significant (over seeds by the paired t-test, p < 0.05); ?: one seed"))
    return Group(*parts)


def _table(differences: list["Difference"]):
    table = plain_table(["policy", "mem", "measure", "a", "b", "b - a", "p", ""])
    for one in differences:
        table.add_row(
            one.label,
            memory_text(one.mem),
            one.measure.replace("importance_", "weighed ").replace("ratio_to_opt", "of the best"),
            number_text(one.first),
            number_text(one.second),
            "-" if one.change is None else f"{one.change:+.4f}",
            "" if one.p is None else f"{one.p:.3f}",
            _mark(one),
        )
    return table


def _mark(one: "Difference") -> Text:
    if one.is_significant is None:
        return Text("?" if one.change else "")
    if not one.is_significant:
        return Text("")
    return Text("*", "green" if one.change > 0 else "red")


def _short(value) -> str:
    text = str(value)
    return text if len(text) <= 30 else f"{text[:27]}..."
