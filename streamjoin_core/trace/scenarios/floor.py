"""FLOOR: two linear trends with bounded uniform noise (Xie, Yang and Chen 2005, section 8).

    S_t = t + U{-15, ..., 15}
    R_t = t - 1 + U{-10, ..., 10}

As TOWER and ROOF, but every integer within the bound is equally likely.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.trace.scenarios._processes import bounded_uniform
from streamjoin_core.trace.scenarios._scenario import Arrivals, Scenario
from streamjoin_core.trace.scenarios._trend import Trend, trend_arrivals, trend_model


@dataclass(frozen=True)
class Floor(Trend):
    """Nothing beyond what every trend has."""


def generate(params: Floor, steps: int, rng: np.random.Generator) -> Arrivals:
    noises = [bounded_uniform(bound, steps, rng) for bound in params.bounds]
    return trend_arrivals(params, noises)


def model(params: Floor, rng: np.random.Generator) -> dict:
    return trend_model(params, [{"kind": "uniform", "bound": bound} for bound in params.bounds])


SCENARIO = Scenario("floor", "linear trends, uniform noise", Floor, generate, model)
