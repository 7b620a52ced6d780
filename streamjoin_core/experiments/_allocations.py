"""Two joins that share a memory, one easy and one hard: the smallest recall of each division."""

from streamjoin_core.allocation import alloc
from streamjoin_core.experiments._widom import JOIN
from streamjoin_core.experiments.base import Curve, Panel, Place, Setup
from streamjoin_core.experiments.measure import Measured, curves
from streamjoin_core.trace.trace import Trace

RECALL, MEMORY = "recall ", "memory "


def measured(place: Place, traces: dict[str, Trace], mem: int, policy: str) -> Measured:
    """Smallest recalls, and what share of the needed memory ALLOC gives to each join."""
    found = alloc(list(traces.values()), mem=mem, policy=policy, **JOIN)
    needed = sum(one.need for one in found.joins)
    return {
        f"{RECALL}ALLOC": {place: found.smallest},
        f"{RECALL}ALLOC in theory": {place: found.smallest_predicted},
        f"{RECALL}PROP": {place: found.smallest_proportional},
        **{
            f"{MEMORY}{name}": {place: 100 * one.mem / needed}
            for name, one in zip(traces, found.joins, strict=True)
        },
    }


def panels(setup: Setup, measure, cases, x: str) -> tuple[Panel, Panel]:
    """Smallest recall, and memory given, over one axis."""
    all_curves = curves(setup, measure, cases)

    def of(kind: str, title: str, y: str, digits: int) -> Panel:
        chosen = [curve for curve in all_curves if curve.label.startswith(kind)]
        named = tuple(Curve(curve.label.removeprefix(kind), curve.values) for curve in chosen)
        return Panel(title, x, y, named, digits=digits)

    return (
        of(RECALL, "smallest recall", "recall", 3),
        of(MEMORY, "memory given by ALLOC", "% of what both need", 1),
    )
