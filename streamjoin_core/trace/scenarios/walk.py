"""WALK: independent random walks (Xie, Yang and Chen 2005, sections 7.5 and 8).

    X_t = X_{t-1} + round(drift + N(0, sigma^2))

Steps are normal with mean 0 and variance 1, rounded to the nearest integer, in both streams. The
paper does not say where the walks start; here both take their first step from 0. They diverge
again and again, so the number of results differs much from seed to seed.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.trace.scenarios._arrivals import one_per_step
from streamjoin_core.trace.scenarios._limits import check_reach
from streamjoin_core.trace.scenarios._processes import FARTHEST, rounded_normal
from streamjoin_core.trace.scenarios._scenario import LABELS, Arrivals, Scenario


@dataclass(frozen=True)
class Walk(Parameters):
    drift: float = parameter(0.0, "mean of a step, the same in both streams")
    sigma: float = parameter(1.0, "standard deviation of a step", above=0)
    streams: int = parameter(2, "2 for joining; 1 for caching (R only)", choices=(1, 2))


def generate(params: Walk, steps: int, rng: np.random.Generator) -> Arrivals:
    check_reach((abs(params.drift) + FARTHEST * params.sigma + 1) * steps)
    moves = [rounded_normal(params.drift, params.sigma, steps, rng) for _ in range(params.streams)]
    return one_per_step(*(np.cumsum(side) for side in moves))


def model(params: Walk, rng: np.random.Generator) -> dict:
    entry = {"kind": "walk", "drift": params.drift, "sigma": params.sigma}
    return {label: entry for label in LABELS[: params.streams]}


SCENARIO = Scenario("walk", "independent random walks", Walk, generate, model)
