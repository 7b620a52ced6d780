"""ROOF: two linear trends with wide bounded normal noise (Xie, Yang and Chen 2005, section 8).

    S_t = t + N(0, 5^2) in [-15, 15]
    R_t = t - 1 + N(0, 3.3^2) in [-10, 10]

As TOWER, but with deviations of about a third of the bounds: noise is rounded to the nearest
integer first and then drawn again while it is outside its bound.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.parameters import parameter
from streamjoin_core.trace.scenarios._scenario import Arrivals, Scenario
from streamjoin_core.trace.scenarios._trend import NormalTrend, normal_trend, normal_trend_model


@dataclass(frozen=True)
class Roof(NormalTrend):
    sigma_left: float = parameter(3.3, "standard deviation of R's noise", above=0)
    sigma_right: float = parameter(5.0, "standard deviation of S's noise", above=0)


def generate(params: Roof, steps: int, rng: np.random.Generator) -> Arrivals:
    return normal_trend(params, steps, rng)


def model(params: Roof, rng: np.random.Generator) -> dict:
    return normal_trend_model(params)


SCENARIO = Scenario("roof", "linear trends, wide normal noise", Roof, generate, model)
