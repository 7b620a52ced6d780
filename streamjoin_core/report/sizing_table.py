"""Answers to questions about memory, as a person reads them."""

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from streamjoin_core.report.table import conditions, memory_text, number_text, plain_table

if TYPE_CHECKING:
    from streamjoin_core.sizing.report import Need, Needs, Offer, Offers, TimeToLive

_FALLS = "*: the curve falls in places, so that some smaller memory may do as well"


def needs_table(found: "Needs") -> Group:
    """The memory that everyone needs, the least first."""
    goal = f"{found.measure} of at least {found.target:g}"
    parts = [*_head(found), Text(f"Memory for a {goal} (at most {found.most:,} makes sense)\n")]
    everyone = [*([found.optimum] if found.optimum else []), *found.policies]
    parts.append(_needs(everyone))
    return Group(*parts, *_notes(everyone, found.skipped))


def _needs(needs: list["Need"]):
    table = plain_table(["policy", "memory", "reached", "times the\noptimum's"])
    for need in needs:
        memory = "out of reach" if need.mem is None else f"{need.mem:,}"
        times = "-" if need.times_optimum is None else f"{need.times_optimum:,.2f}"
        mark = "" if need.is_monotone else " *"
        table.add_row(f"{need.label}{mark}", memory, number_text(need.reached), times)
    return table


def offers_table(found: "Offers") -> Group:
    """What everyone reaches, the best first."""
    return Group(*_head(found), _offers(found.offers), *_notes([], found.skipped))


def _offers(offers: tuple["Offer", ...]):
    has_importance = any(offer.importance_recall not in (None, offer.recall) for offer in offers)
    is_compared = any(offer.ratio_to_opt is not None for offer in offers)
    weighed = ["weighed\nrecall"] if has_importance else []
    compared = ["of the\nbest"] if is_compared else []
    table = plain_table(["policy", "mem", "recall", *weighed, *compared, "fairness"])
    for offer in offers:
        table.add_row(
            offer.label,
            memory_text(offer.mem),
            number_text(offer.recall),
            *([number_text(offer.importance_recall)] if has_importance else []),
            *([number_text(offer.ratio_to_opt)] if is_compared else []),
            number_text(offer.fairness),
        )
    return table


def ttl_table(found: "TimeToLive") -> Group:
    """What the setting takes and gives, then what else its memory could do."""
    left, right = (limit or "for ever" for limit in found.ttl)
    online = [need for need in found.same_recall if need.label != "opt" and need.mem is not None]
    lines = [
        f"time-to-live {left} on the left, {right} on the right",
        f"peak state  {found.peak_state:>12,} tuples",
        f"mean state  {found.mean_state:>12,.1f} tuples",
        f"results     {found.results:>12,} of {found.exact:,}, recall {number_text(found.recall)}",
    ]
    if online:
        least = online[0]
        lines.append(f"{least.label} reaches that recall with a memory of {least.mem:,} tuples")
    parts = [*_head(found), *map(Text, lines)]
    parts += [Text("\nWith the peak as memory"), _offers(found.at_peak)]
    if found.at_mean != found.at_peak:
        parts += [Text("\nWith the mean as memory"), _offers(found.at_mean)]
    if found.same_recall:
        parts += [Text("\nMemory for the same recall"), _needs(list(found.same_recall))]
    return Group(*parts, *_notes(list(found.same_recall), found.skipped))


def _head(found) -> list[Text]:
    told = [f"{found.trace['path']}: {found.trace['rows']:,} rows", conditions(found.options), ""]
    return [Text(line) for line in told]


def _notes(needs: list["Need"], skipped: dict[str, str]) -> list[Text]:
    notes = [] if all(need.is_monotone for need in needs) else [_FALLS]
    notes += [f"skipped: {name} {why}" for name, why in skipped.items()]
    return [Text(("" if place else "\n") + note) for place, note in enumerate(notes)]
