"""What figures 13 and 14 share: HIST, which learns, beside HEEB, which knows, over the memory.

Streams are TOWER's with the same deviation of the noise in both.
"""

from functools import partial

from streamjoin_core.experiments._synthetic import (
    HINT_IS_A_WINDOW,
    MEMORIES,
    PAPER_RUNS,
    STEPS,
    results,
    warmup_of,
)
from streamjoin_core.experiments.base import Claim, Experiment, Findings, Panel, Setup
from streamjoin_core.experiments.claims import is_ahead
from streamjoin_core.experiments.measure import Measured, curves
from streamjoin_core.trace.scenarios import generate

_ABOUT = 0.9


def _measure(sigma: float, seed: int, steps: int) -> Measured:
    trace = generate("tower", steps=steps, seed=seed, sigma_left=sigma, sigma_right=sigma)
    return results(trace, ("heeb", "hist", "rand"), seed=seed)


def claims(panel: Panel) -> tuple[Claim, ...]:
    share = f"HIST has at least {_ABOUT:.0%} of HEEB"
    return (
        is_ahead("HIST is not better than HEEB", panel, "heeb", ["hist"], ties=True),
        is_ahead(share, panel, "hist", ["heeb"], share=_ABOUT, ties=True),
        is_ahead("HIST is better than RAND", panel, "hist", ["rand"], ties=True),
    )


def _find(sigma: float, setup: Setup) -> Findings:
    found = curves(setup, _measure, [sigma])
    panel = Panel(f"trend, deviation {sigma:g}", "memory", "results", found)
    return Findings((panel,), claims(panel), (HINT_IS_A_WINDOW,))


def learnt(number: int, sigma: float, variance: str) -> Experiment:
    """The experiment of a figure."""
    return Experiment(
        name=f"fig{number}",
        summary=f"histograms of 10 buckets beside computed HEEB, {variance} variance",
        paper=f"Xie, Yang, Chen 2005, figure {number}",
        find=partial(_find, sigma),
        runs=PAPER_RUNS,
        steps=STEPS,
        least_steps=warmup_of(MEMORIES) + 1,
        paper_runs=PAPER_RUNS,
    )
