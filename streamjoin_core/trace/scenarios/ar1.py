"""AR(1): values that return to their mean, by default the temperatures of REAL.

After Xie, Yang and Chen 2005, section 8.

    X_t = round(phi0 + phi1 X_{t-1} + N(0, sigma^2))

The defaults are what the paper fitted to daily temperatures in Melbourne, X_t = 5.59 +
0.72 X_{t-1} + N(0, 4.22^2) in degrees, here in tenths of a degree as keys are there: phi0 = 55.9,
sigma = 42.2. One stream, since REAL is a caching problem; with 2 the streams are independent.
Every value is rounded, and the next one starts from the rounded one. The first is drawn from the
stationary distribution, N(phi0 / (1 - phi1), sigma^2 / (1 - phi1^2)).
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.trace.scenarios._arrivals import one_per_step
from streamjoin_core.trace.scenarios._limits import check_reach
from streamjoin_core.trace.scenarios._processes import FARTHEST, rounded_normal
from streamjoin_core.trace.scenarios._scenario import LABELS, Arrivals, Scenario


@dataclass(frozen=True)
class Ar1(Parameters):
    phi0: float = parameter(55.9, "constant, in units of the key")
    phi1: float = parameter(0.72, "share of the last value, between -1 and 1")
    sigma: float = parameter(42.2, "standard deviation of the noise, in units of the key", above=0)
    streams: int = parameter(1, "1 for caching (R only); 2 for joining", choices=(1, 2))

    def __post_init__(self):
        super().__post_init__()
        if not abs(self.phi1) < 1:
            raise InputError(
                f"parameter phi1 is {self.phi1}: give a number between -1 and 1, or use scenario "
                "walk for phi1 = 1"
            )


def generate(params: Ar1, steps: int, rng: np.random.Generator) -> Arrivals:
    largest = abs(params.phi0) + FARTHEST * params.sigma + 1
    check_reach(largest / (1 - abs(params.phi1)))
    return one_per_step(*(_values(params, steps, rng) for _ in range(params.streams)))


def _values(params: Ar1, steps: int, rng: np.random.Generator) -> np.ndarray:
    # Compiled code takes a moment to load, so only who needs it does.
    from streamjoin_core.trace.scenarios._recursion import follow

    mean = params.phi0 / (1 - params.phi1)
    first = rounded_normal(mean, params.sigma / np.sqrt(1 - params.phi1**2), 1, rng)[0]
    noise = params.sigma * rng.standard_normal(steps)
    keys = np.empty(steps, np.int64)
    follow(first, params.phi0, params.phi1, noise, keys)
    return keys


def model(params: Ar1, rng: np.random.Generator) -> dict:
    entry = {"kind": "ar1", "phi0": params.phi0, "phi1": params.phi1, "sigma": params.sigma}
    return {label: entry for label in LABELS[: params.streams]}


SCENARIO = Scenario("ar1", "values that return to their mean", Ar1, generate, model, steps=3650)
