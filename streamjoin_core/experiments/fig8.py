"""Who produces how much on the four synthetic configurations, with a memory of 10 tuples.

Beside the paper's: fifo, and HEEB that finds its alpha on the way instead of from the noise.
"""

from streamjoin_core.experiments import _configurations
from streamjoin_core.experiments._configurations import CONFIGURATIONS, claims_of_order
from streamjoin_core.experiments._synthetic import (
    ALPHA_IGNORES_THE_MEMORY,
    HINT_IS_A_WINDOW,
    PAPER_RUNS,
    STEPS,
    warmup_of,
)
from streamjoin_core.experiments.base import Claim, Experiment, Findings, Panel, Setup
from streamjoin_core.experiments.claims import is_ahead
from streamjoin_core.experiments.measure import Measured, curves

_MEMORY = 10
_TUNED = "heeb:alpha=auto"
_LIFE_ON_TOWER = (
    "TOWER's noise ends long before its bounds, which are LIFE's window, so what is left of it "
    "says little of how long a tuple can join. With a window of 6 steps LIFE leads PROB there, too."
)


def measure(scenario: str, seed: int, steps: int) -> Measured:
    found = _configurations.measure(scenario, seed, steps, (_MEMORY,), (_TUNED,))
    return {label: {scenario.upper(): values[_MEMORY]} for label, values in found.items()}


def claims(panel: Panel) -> tuple[Claim, ...]:
    return (
        *claims_of_order(panel, ties=False),
        is_ahead("LIFE fares better than PROB", panel, "life", ["prob"]),
        is_ahead("beyond the paper: HEEB beats FIFO", panel, "heeb", ["fifo"]),
        is_ahead("beyond the paper: alpha=auto does better", panel, _TUNED, ["heeb"]),
    )


def find(setup: Setup) -> Findings:
    found = curves(setup, measure, CONFIGURATIONS)
    panel = Panel(f"memory {_MEMORY}", "configuration", "results", found, bars=True)
    notes = (HINT_IS_A_WINDOW, _LIFE_ON_TOWER, ALPHA_IGNORES_THE_MEMORY)
    return Findings((panel,), claims(panel), notes)


EXPERIMENT = Experiment(
    name="fig8",
    summary="results with memory 10 on TOWER, ROOF, FLOOR and WALK",
    paper="Xie, Yang, Chen 2005, figure 8",
    find=find,
    runs=PAPER_RUNS,
    steps=STEPS,
    least_steps=warmup_of((_MEMORY,)) + 1,
    paper_runs=PAPER_RUNS,
)
