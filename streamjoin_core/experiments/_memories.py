"""What figures 9 to 12 share: results over the memory, on one configuration each."""

from functools import partial
from itertools import pairwise
from math import inf

from streamjoin_core.experiments._configurations import claims_of_order, measure
from streamjoin_core.experiments._synthetic import (
    ALPHA_IGNORES_THE_MEMORY,
    HINT_IS_A_WINDOW,
    HINTED,
    MEMORIES,
    PAPER_RUNS,
    STEPS,
    warmup_of,
)
from streamjoin_core.experiments.base import Claim, Curve, Experiment, Findings, Panel, Setup
from streamjoin_core.experiments.measure import curves

_CAUGHT_UP = 0.99  # of the optimum
_MOST_TOLD = 3


def grows(panel: Panel) -> Claim:
    """Whether no curve falls."""
    falls = [
        f"{curve.label} from {panel.number(less)} to {panel.number(more)}"
        for curve in panel.curves
        for less, more in pairwise(map(curve.mean, curve.values))
        if more < less
    ]
    told = "; ".join(falls[:_MOST_TOLD])
    found = f"{len(falls)} falls, such as {told}" if falls else "no curve ever falls"
    return Claim("with more memory all perform better", not falls, found)


def catch_up(panel: Panel, do: bool) -> Claim:
    """Whether all reach the optimum with the largest memory, or, on WALK, nobody does."""
    last = panel.places()[-1]
    shares = {curve.label: _shares(panel, curve)[last] for curve in panel.curves[1:]}
    told = ", ".join(f"{label} {share:.1%}" for label, share in shares.items())
    return Claim(
        "in the end all catch up with the optimum" if do else "nobody catches up with the optimum",
        all((share >= _CAUGHT_UP) == do for share in shares.values()),
        f"of the optimum with memory {last:g}: {told}",
    )


def converges_first(panel: Panel) -> Claim:
    """Whether HEEB needs the least memory to be where the optimum is."""
    needed = {}
    for curve in panel.curves[1:]:
        enough = [mem for mem, share in _shares(panel, curve).items() if share >= _CAUGHT_UP]
        needed[curve.label] = min(enough, default=inf)
    told = ", ".join(
        f"{label} {'more' if mem == inf else f'{mem:g}'}" for label, mem in needed.items()
    )
    return Claim(
        "HEEB converges to the optimum faster than RAND, PROB and LIFE",
        all(needed["heeb"] < needed[label] for label in HINTED),
        f"memory for {_CAUGHT_UP:.0%} of the optimum: {told}",
    )


def _shares(panel: Panel, curve: Curve) -> dict[float, float]:
    """What a curve has of the optimum."""
    best = panel.curve("opt")
    return {
        mem: curve.mean(mem) / best.mean(mem) if best.mean(mem) else 1.0 for mem in curve.values
    }


def _find(scenario: str, setup: Setup) -> Findings:
    panel = Panel(scenario.upper(), "memory", "results", curves(setup, measure, [scenario]))
    claims = (*claims_of_order(panel, ties=True), grows(panel))
    if scenario == "walk":
        return Findings((panel,), (*claims, catch_up(panel, do=False)))
    claims = (*claims, catch_up(panel, do=True), converges_first(panel))
    return Findings((panel,), claims, (HINT_IS_A_WINDOW, ALPHA_IGNORES_THE_MEMORY))


def over_memories(number: int, scenario: str) -> Experiment:
    """The experiment of a figure."""
    return Experiment(
        name=f"fig{number}",
        summary=f"results on {scenario.upper()} with memories from 1 to 50",
        paper=f"Xie, Yang, Chen 2005, figure {number}",
        find=partial(_find, scenario),
        runs=PAPER_RUNS,
        steps=STEPS,
        least_steps=warmup_of(MEMORIES) + 1,
        paper_runs=PAPER_RUNS,
    )
