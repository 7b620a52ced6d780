"""TOWER: two linear trends with narrow bounded normal noise (Xie, Yang and Chen 2005, section 8).

    S_t = t + N(0, 2^2) in [-15, 15]
    R_t = t - 1 + N(0, 1^2) in [-10, 10]

Both means grow by `speed` = 1 per step, R is `lag` = 1 step behind S. Noise is rounded to the
nearest integer first and then drawn again while it is outside its bound. The future is easy to
predict, so a policy that knows the trend has a large advantage.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.parameters import parameter
from streamjoin_core.trace.scenarios._scenario import Arrivals, Scenario
from streamjoin_core.trace.scenarios._trend import NormalTrend, normal_trend, normal_trend_model


@dataclass(frozen=True)
class Tower(NormalTrend):
    sigma_left: float = parameter(1.0, "standard deviation of R's noise", above=0)
    sigma_right: float = parameter(2.0, "standard deviation of S's noise", above=0)


def generate(params: Tower, steps: int, rng: np.random.Generator) -> Arrivals:
    return normal_trend(params, steps, rng)


def model(params: Tower, rng: np.random.Generator) -> dict:
    return normal_trend_model(params)


SCENARIO = Scenario("tower", "linear trends, narrow normal noise", Tower, generate, model)
