"""How HEEB shares the memory between streams that differ in lag or in deviation.

TOWER with both streams alike, deviation 1 and bound 15, and no lag; then R is 2 and 4 steps behind,
or S's deviation is 2 and 4 times as large. Memory 10.
"""

from itertools import pairwise

from streamjoin_core.experiments._synthetic import PAPER_RUNS, STEPS
from streamjoin_core.experiments.base import Claim, Experiment, Findings, Panel, Setup
from streamjoin_core.experiments.measure import Measured, curves
from streamjoin_core.replay import replay
from streamjoin_core.trace.scenarios import generate

_MEMORY = 10
_SAME = {"sigma_left": 1.0, "bound_left": 15, "bound_right": 15}
_ALIKE = 0.02  # how far from a half is still half


def measure(case: tuple[str, float], seed: int, steps: int) -> Measured:
    what, size = case
    settings = {"lag": 0.0, "sigma_right": 1.0} | {what: float(size)}
    trace = generate("tower", steps=steps, seed=seed, **_SAME, **settings)
    (run,) = replay(trace, policy="heeb", mem=_MEMORY).runs
    return {"heeb": {f"{size:g}": run.occupancy_left}}


def claims(lag: Panel, deviation: Panel) -> tuple[Claim, ...]:
    shares = [_shares(panel) for panel in (lag, deviation)]
    told = [", ".join(f"{share:.3f}" for share in one) for one in shares]
    return (
        Claim(
            "streams that are alike share the memory equally",
            all(abs(one[0] - 0.5) <= _ALIKE for one in shares),
            f"R's share {shares[0][0]:.3f}",
        ),
        Claim(
            "the further R lags behind, the less memory it gets",
            all(more < less for less, more in pairwise(shares[0])),
            f"R's share {told[0]}",
        ),
        Claim(
            "the larger S's deviation, the less memory it gets",
            all(more > less for less, more in pairwise(shares[1])),
            f"R's share {told[1]}",
        ),
    )


def _shares(panel: Panel) -> list[float]:
    (curve,) = panel.curves
    return [curve.mean(place) for place in panel.places()]


def find(setup: Setup) -> Findings:
    panels = [
        Panel(title, axis, "R's share of the memory", found, bars=True, digits=3)
        for title, axis, found in (
            (
                "R lags behind S",
                "lag (steps)",
                curves(setup, measure, [("lag", size) for size in (0, 2, 4)]),
            ),
            (
                "S deviates more",
                "deviation of S (of R's)",
                curves(setup, measure, [("sigma_right", size) for size in (1, 2, 4)]),
            ),
        )
    ]
    return Findings(tuple(panels), claims(*panels))


EXPERIMENT = Experiment(
    name="fig16",
    summary="how HEEB shares the memory when a stream lags, or deviates more",
    paper="Xie, Yang, Chen 2005, figure 16",
    find=find,
    runs=PAPER_RUNS,
    steps=STEPS,
    paper_runs=PAPER_RUNS,
)
