"""Tuples that matter more or less, by rules that change during the run.

After Kulkarni and Ravishankar 2008, sections 3.1 and 5.

    R and S: keys 1, ..., `domain`;  Pr{key = k} ~ k^-skew
    importance of a tuple with key k that arrives in period e: F_e(k)

F_e(k) is drawn evenly from [importance_least, importance_most] for every key and period, to two
decimals. Importance is redefined `redefinitions` times, which gives one period more than that.

As in the paper: 100 keys, importances from 1 to 100, rates between 100 and 200 tuples per second,
100 seconds, importance redefined twice at most. Where it is silent:
- The key is the attribute that decides on the importance, as in the paper's Table 1.
- Keys of both streams follow the same Zipf law, since among equally frequent ones only importance
  could tell tuples apart; skew 0 makes them uniform.
- Each stream's rate is drawn anew every second, and its tuples arrive at random within it.
- A unit of time is a millisecond (`units_per_second`), so that few tuples arrive in one step: the
  paper's window of 25 seconds is 25000.
- The periods are equally long.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.trace.scenarios._arrivals import merge_streams
from streamjoin_core.trace.scenarios._frequencies import (
    LARGEST_DOMAIN,
    draw_keys,
    stationary_model,
    zipf_probabilities,
)
from streamjoin_core.trace.scenarios._limits import check_most, check_order, check_rows
from streamjoin_core.trace.scenarios._scenario import LABELS, Arrivals, Scenario

_LARGEST_TABLE = 10**7  # importances of all keys in all periods
_LARGEST_IMPORTANCE = 10**12  # so that two decimals are exact enough


@dataclass(frozen=True)
class Importance(Parameters):
    domain: int = parameter(100, "number of keys", least=1)
    skew: float = parameter(1.0, "exponent of the keys' Zipf law; 0 is uniform", least=0)
    rate_least: int = parameter(100, "fewest tuples per second and stream", least=0)
    rate_most: int = parameter(200, "most tuples per second and stream", least=0)
    importance_least: float = parameter(1.0, "lowest importance", least=0)
    importance_most: float = parameter(100.0, "highest importance", least=0)
    redefinitions: int = parameter(2, "how often importance is redefined", least=0)
    units_per_second: int = parameter(1000, "units of time in a second", least=1)

    def __post_init__(self):
        super().__post_init__()
        check_most("domain", self.domain, LARGEST_DOMAIN)
        check_order("rate_least", self.rate_least, "rate_most", self.rate_most)
        low, high = self.importance_least, self.importance_most
        check_order("importance_least", low, "importance_most", high)
        check_most("importance_most", high, _LARGEST_IMPORTANCE)
        check_most("units_per_second", self.units_per_second, 10**9)
        check_most("redefinitions", self.redefinitions, _LARGEST_TABLE // self.domain)


def generate(params: Importance, steps: int, rng: np.random.Generator) -> Arrivals:
    probabilities = zipf_probabilities(params.domain, params.skew)
    periods = params.redefinitions + 1
    low, high = params.importance_least, params.importance_most
    table = rng.uniform(low, high, (periods, params.domain)).round(2).clip(low, high)
    times = [_times(params, steps, rng) for _ in LABELS]
    keys = [draw_keys(probabilities, len(side), rng) for side in times]
    importances = [
        table[time * periods // steps, key - 1] for time, key in zip(times, keys, strict=True)
    ]
    return merge_streams(times, keys, importances=importances)


def _times(params: Importance, steps: int, rng: np.random.Generator) -> np.ndarray:
    """Arrival times of one stream, at a rate that changes every second."""
    seconds = -(-steps // params.units_per_second)
    check_rows(params.rate_most * seconds)
    rates = rng.integers(params.rate_least, params.rate_most, seconds, endpoint=True)
    second = np.repeat(np.arange(seconds), rates)
    within = rng.integers(params.units_per_second, size=len(second))
    times = np.sort(second * params.units_per_second + within)
    return times[times < steps]


def model(params: Importance, rng: np.random.Generator) -> dict | str:
    return stationary_model([zipf_probabilities(params.domain, params.skew)] * len(LABELS))


SCENARIO = Scenario(
    "importance",
    "importance by key, redefined during the run",
    Importance,
    generate,
    model,
    steps=100_000,
)
