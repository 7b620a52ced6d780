"""Recall over memory for tuples whose chance to join depends on their age.

An increasing, a decreasing and a bell-shaped age curve; memory is in percent of what holds R's
whole window, 500 tuples.
"""

from streamjoin_core.experiments._widom import (
    JOIN,
    PERCENT,
    POLICIES,
    WINDOW,
    is_near,
    part_of,
    recalls,
)
from streamjoin_core.experiments.base import Experiment, Findings, Panel, Setup
from streamjoin_core.experiments.claims import is_ahead
from streamjoin_core.experiments.measure import Measured, curves
from streamjoin_core.replay import replay
from streamjoin_core.trace.scenarios import generate


def measure(shape: str, seed: int, steps: int) -> Measured:
    report = replay(
        generate("age", steps=steps, seed=seed, curve=shape),
        policy=POLICIES,
        mem=[WINDOW * percent // 100 for percent in PERCENT],
        **JOIN,
    )
    return recalls(report, WINDOW)


def find(setup: Setup) -> Findings:
    inc, dec, bell = (
        Panel(shape.upper(), "memory %", "recall", curves(setup, measure, (shape,)), digits=3)
        for shape in ("inc", "dec", "bell")
    )
    # Its k_opt is at 65 % of the window, where C(k) / k is largest for a bell of squares.
    early, late = part_of(bell, PERCENT[:6]), part_of(bell, PERCENT[6:])
    below = part_of(inc, PERCENT[:-1])
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


EXPERIMENT = Experiment(
    name="sw-fig7",
    summary="recall over memory for increasing, decreasing and bell-shaped age curves",
    paper="Srivastava, Widom 2004, figure 7",
    find=find,
    runs=3,
    steps=20_000,
    paper_runs=1,
)
