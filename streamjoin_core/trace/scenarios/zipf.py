"""Keys of fixed, skewed frequencies in both streams (Srivastava and Widom 2004, section 6.2.3).

    Pr{R = k} = k^-skew / (1^-skew + ... + domain^-skew),  k = 1, ..., domain

So key 1 is R's most common. In S the same probabilities belong to the keys
    direct   in the same order: what is common in R is common in S;
    inverse  in the opposite order: R's rarest key is S's most common one;
    none     in a random order that depends on the seed.
On average `rate_left` tuples of R and `rate_right` of S arrive per unit of time. Their gaps are
irregular, uniform in [0.4 / rate, 1.6 / rate]: the paper's interval [1 / (2 rate), 2 / rate]
shortened so that its mean is 1 / rate, the average rate that the paper names. With spacing
regular they are equal, so that rates of 1 give one arrival per stream and step.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.trace.scenarios._arrivals import irregular_times, merge_streams, regular_times
from streamjoin_core.trace.scenarios._frequencies import (
    LARGEST_DOMAIN,
    draw_keys,
    stationary_model,
    zipf_probabilities,
)
from streamjoin_core.trace.scenarios._limits import check_most
from streamjoin_core.trace.scenarios._scenario import Arrivals, Scenario


@dataclass(frozen=True)
class Zipf(Parameters):
    correlation: str = parameter(
        "direct",
        "order of S's keys by frequency against R's: direct, inverse or none",
        choices=("direct", "inverse", "none"),
    )
    domain: int = parameter(50, "number of keys", least=1)
    skew: float = parameter(1.0, "exponent of the Zipf law; 0 is uniform", least=0)
    rate_left: float = parameter(1.0, "tuples of R per unit of time", above=0)
    rate_right: float = parameter(5.0, "tuples of S per unit of time", above=0)
    spacing: str = parameter(
        "irregular", "gaps between tuples: irregular or regular", choices=("irregular", "regular")
    )
    streams: int = parameter(2, "2 for joining; 1 for caching (R only)", choices=(1, 2))

    def __post_init__(self):
        super().__post_init__()
        check_most("domain", self.domain, LARGEST_DOMAIN)


def generate(params: Zipf, steps: int, rng: np.random.Generator) -> Arrivals:
    probabilities = _probabilities(params, rng)  # first, as in the model
    rates = (params.rate_left, params.rate_right)[: params.streams]
    if params.spacing == "regular":
        times = [regular_times(rate, steps) for rate in rates]
    else:
        times = [irregular_times(rate, steps, rng) for rate in rates]
    keys = [
        draw_keys(side, len(arrivals), rng)
        for side, arrivals in zip(probabilities, times, strict=True)
    ]
    return merge_streams(times, keys)


def model(params: Zipf, rng: np.random.Generator) -> dict | str:
    return stationary_model(_probabilities(params, rng))


def _probabilities(params: Zipf, rng: np.random.Generator) -> list[np.ndarray]:
    """Each stream's probabilities of the keys 1, 2, ..."""
    left = zipf_probabilities(params.domain, params.skew)
    if params.correlation == "direct":
        right = left
    elif params.correlation == "inverse":
        right = left[::-1]
    else:
        right = rng.permutation(left)
    return [left, right][: params.streams]


SCENARIO = Scenario("zipf", "keys of fixed, skewed frequencies", Zipf, generate, model)
