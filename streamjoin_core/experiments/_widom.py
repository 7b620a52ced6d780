"""What the experiments of Srivastava and Widom 2004, section 6.2, have in common.

Only R's tuples wait for others, for W = 500 units, at rates of 1 and 5 tuples per unit.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from streamjoin_core.experiments.base import Claim, Curve, Panel, Place
from streamjoin_core.experiments.measure import Measured
from streamjoin_core.report.report import Report
from streamjoin_core.trace.scenarios import generate
from streamjoin_core.trace.trace import Trace

WINDOW = 500
# S tuples expire at once and need no memory.
JOIN = {"window": (WINDOW, 0), "split": "1:0"}
PERCENT = range(10, 101, 10)
POLICIES = ("age", "until-expiry", "recent")


def zipf(correlation: str, skew: float, seed: int, steps: int) -> Trace:
    """Keys of fixed frequencies over a domain of 50."""
    return generate("zipf", steps=steps, seed=seed, correlation=correlation, skew=skew)


def with_values(trace: Trace, mean: float, deviation: float, seed: int) -> Trace:
    """The trace with an attribute to aggregate, from a normal distribution."""
    rng = np.random.default_rng([seed, 1])
    return replace(trace, value=rng.normal(mean, deviation, len(trace)))


def recalls(report: Report, whole: int) -> Measured:
    """Recall over memory in percent of the whole window, and what theory says of AGE."""
    found: Measured = {}
    for run in report.runs:
        percent = 100 * run.mem // whole
        label = {"fifo": "recent"}.get(run.policy, run.policy)
        found.setdefault(label, {})[percent] = run.recall
        if run.policy == "age":
            found.setdefault("age in theory", {})[percent] = run.theoretical_recall
    return found


def part_of(panel: Panel, places: Iterable[Place]) -> Panel:
    """The panel at some of its places."""
    curves = tuple(
        Curve(curve.label, {place: curve.values[place] for place in places})
        for curve in panel.curves
    )
    return replace(panel, curves=curves)


def is_near(text: str, panel: Panel, who: str, other: str, most: float) -> Claim:
    """The claim that two curves agree."""
    far = {
        place: abs(panel.curve(who).mean(place) - panel.curve(other).mean(place))
        for place in panel.places()
    }
    worst = max(far, key=far.get)
    found = f"at most {far[worst]:.3f} apart, at {panel.x} {worst:g}"
    return Claim(text, far[worst] <= most, found)
