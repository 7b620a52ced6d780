"""Shedding under a processing budget: the experiments that the paper announces but does not have.

Streams with keys of Zipf frequencies, known to the strategies; a window of 200 for both, a tuple
costs 1 and a result 0.2. First the recall over the budget, as a share of the full join's cost;
then, at 0.3 of it, over the skew, where what is common in one stream is in the other common
(direct), rare (inverse), or neither (none). The bound is what the best shedding could have given.
"""

from functools import partial

from streamjoin_core.experiments.base import Claim, Experiment, Findings, Panel, Setup
from streamjoin_core.experiments.claims import is_ahead
from streamjoin_core.experiments.measure import Measured, curves
from streamjoin_core.shed import shed
from streamjoin_core.trace.scenarios import generate

_BUDGETS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_SKEWS = (0.0, 0.5, 1.0, 1.5, 2.0)
_CORRELATIONS = ("direct", "inverse", "none")
_STRATEGIES = ("inp", "cf", "pni", "online-max-subset", "pni:by=key")
_WINDOW = 200


def _recalls(correlation: str, skew: float, budget: float, seed: int, steps: int) -> dict:
    trace = generate("zipf", steps=steps, seed=seed, correlation=correlation, skew=skew)
    report = shed(
        trace,
        budget=budget,
        strategy=list(_STRATEGIES),
        costs=(1, 0.2),
        window=_WINDOW,
        warmup=_WINDOW,
        seed=seed,
    )
    found = {run.label: run.recall for run in report.runs}
    return found | {"bound": report.runs[0].bound / report.runs[0].exact}


def measure_budget(budget: float, seed: int, steps: int) -> Measured:
    found = _recalls("direct", 1.0, budget, seed, steps)
    return {label: {budget: recall} for label, recall in found.items()}


def measure_skew(correlation: str, skew: float, seed: int, steps: int) -> Measured:
    found = _recalls(correlation, skew, 0.3, seed, steps)
    return {label: {skew: recall} for label, recall in found.items()}


def find(setup: Setup) -> Findings:
    over_budget = Panel(
        "direct correlation, skew 1",
        "budget",
        "recall",
        curves(setup, measure_budget, _BUDGETS),
        digits=4,
    )
    over_skew = tuple(
        Panel(
            f"{correlation} correlation, budget 0.3",
            "skew",
            "recall",
            curves(setup, partial(measure_skew, correlation), _SKEWS),
            digits=4,
        )
        for correlation in _CORRELATIONS
    )
    return Findings(
        (over_budget, *over_skew),
        _claims(over_budget, over_skew),
        ("the bound may spend its budget whenever it likes, and knows what comes",),
    )


def _claims(over_budget: Panel, over_skew: tuple[Panel, ...]) -> tuple[Claim, ...]:
    panels = (over_budget, *over_skew)
    inverse = over_skew[_CORRELATIONS.index("inverse")]
    semantic, by_key = "online-max-subset", "pni:by=key"
    return (
        is_ahead("CF gives at least what INP does (Theorem 2)", panels, "cf", ["inp"], ties=True),
        is_ahead("PNI gives at least what CF does (Theorem 3)", panels, "pni", ["cf"], ties=True),
        is_ahead(
            "shedding by value gives at least what the best random shedding does",
            panels,
            semantic,
            ["pni"],
            ties=True,
        ),
        is_ahead(
            "with negatively correlated frequencies Online Max-Subset, which weighs a key in "
            "whole, is ahead of going by the frequency in the other stream alone",
            inverse,
            semantic,
            [by_key],
        ),
        is_ahead(
            "(not in the paper) nobody is ahead of PNI by key, but for 1 % of chance",
            panels,
            by_key,
            [semantic, "pni", "cf", "inp"],
            share=0.99,
            ties=True,
        ),
    )


EXPERIMENT = Experiment(
    name="cpu-budget",
    summary="random and semantic shedding over the budget, the skew and the correlation",
    paper="Ayad, Naughton, Wright, Srivastava 2005, sections 3.2 and 3.3",
    find=find,
    runs=5,
    steps=5000,
)
