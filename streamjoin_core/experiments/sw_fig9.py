"""The error of a windowed average over samples of the result, over the variance of the values.

Uncorrelated keys, Z = 2, mean 100, memory for 10 % of R's window.
"""

from streamjoin_core.experiments._widom import with_values, zipf
from streamjoin_core.experiments.base import Claim, Experiment, Findings, Panel, Setup
from streamjoin_core.experiments.measure import Measured, curves
from streamjoin_core.experiments.sw_fig8 import NOTES, errors

_MEMORY = 10
_VARIATIONS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)


def measure(variation: float, seed: int, steps: int) -> Measured:
    trace = with_values(zipf("none", 2.0, seed, steps), 100, 100 * variation, seed)
    found = errors(trace, (_MEMORY,), seed)
    return {label: {variation: values[_MEMORY]} for label, values in found.items()}


def find(setup: Setup) -> Findings:
    measured = curves(setup, measure, _VARIATIONS)
    panel = Panel("memory 10 %", "deviation / mean", "relative error", measured, digits=4)
    first, last = _VARIATIONS[0], _VARIATIONS[-1]
    claims = []
    for label in ("eq-cluster", "pps-cluster"):
        cluster, uniform = panel.curve(label), panel.curve("uniform")
        behind = [cluster.mean(place) - uniform.mean(place) for place in (first, last)]
        claims.append(
            Claim(
                f"{label} falls behind UNIFORM as the variance grows",
                behind[1] > behind[0] and behind[1] > 0,
                f"its error is larger by {behind[0]:.4f} at {first}, by {behind[1]:.4f} at {last}",
            )
        )
    return Findings((panel,), tuple(claims), NOTES)


EXPERIMENT = Experiment(
    name="sw-fig9",
    summary="error of a sampled average over the variance of its values",
    paper="Srivastava, Widom 2004, figure 9",
    find=find,
    runs=10,
    steps=5_000,
    paper_runs=1,
)
