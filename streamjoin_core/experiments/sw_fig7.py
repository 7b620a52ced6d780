"""Recall over memory for tuples whose chance to join depends on their age.

An increasing, a decreasing and a bell-shaped age curve; memory is in percent of what holds R's
whole window, 500 tuples.
"""

from streamjoin_core.experiments._widom import JOIN, WINDOW, is_near
from streamjoin_core.experiments.base import Curve, Experiment, Findings, Panel, Setup
from streamjoin_core.experiments.claims import is_ahead
from streamjoin_core.experiments.measure import Measured, curves
from streamjoin_core.replay import replay
from streamjoin_core.trace.scenarios import generate

_PERCENT = range(10, 101, 10)
_POLICIES = ("age", "until-expiry", "recent")


def measure(shape: str, seed: int, steps: int) -> Measured:
    report = replay(
        generate("age", steps=steps, seed=seed, curve=shape),
        policy=_POLICIES,
        mem=[WINDOW * percent // 100 for percent in _PERCENT],
        **JOIN,
    )
    found: Measured = {}
    for run in report.runs:
        percent = 100 * run.mem // WINDOW
        label = {"fifo": "recent"}.get(run.policy, run.policy)
        found.setdefault(label, {})[percent] = run.recall
        if run.policy == "age":
            found.setdefault("age in theory", {})[percent] = run.theoretical_recall
    return found


def find(setup: Setup) -> Findings:
    inc, dec, bell = (
        Panel(shape.upper(), "memory %", "recall", curves(setup, measure, (shape,)), digits=3)
        for shape in ("inc", "dec", "bell")
    )
    early, late = _halves(bell)
    below = Panel("INC", inc.x, inc.y, _only(inc, _PERCENT[:-1]), digits=3)
    claims = (
        is_ahead("INC: AGE significantly outperforms RECENT", below, "age", ("recent",), share=1.1),
        is_near("DEC: AGE reduces to RECENT", dec, "age", "recent", 0.01),
        is_ahead("BELL: AGE outperforms RECENT below r k_opt", early, "age", ("recent",)),
        is_near("BELL: from r k_opt on, AGE reduces to RECENT", late, "age", "recent", 0.02),
        *(
            is_near(f"{one.title}: AGE agrees with the theory", one, "age", "age in theory", 0.05)
            for one in (inc, dec, bell)
        ),
    )
    return Findings((inc, dec, bell), claims)


def _halves(bell: Panel) -> tuple[Panel, Panel]:
    """Below and above k_opt, which of this curve is at 79 % of the window."""
    return tuple(
        Panel("BELL", bell.x, bell.y, _only(bell, places), digits=3)
        for places in (_PERCENT[:7], _PERCENT[7:])
    )


def _only(panel: Panel, places) -> tuple[Curve, ...]:
    return tuple(
        Curve(curve.label, {place: curve.values[place] for place in places})
        for curve in panel.curves
    )


EXPERIMENT = Experiment(
    name="sw-fig7",
    summary="recall over memory for increasing, decreasing and bell-shaped age curves",
    paper="Srivastava, Widom 2004, figure 7",
    find=find,
    runs=3,
    steps=20_000,
    paper_runs=1,
)
