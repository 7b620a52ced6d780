"""Tuples whose chance to join depends on their age.

After Srivastava and Widom 2004, sections 2.2 and 6.2.1.

Every R tuple has an id of its own. The window is divided into m = `buckets` buckets by age, and
an R tuple is to have n1 results in all, p(k) of them while it is in the k-th bucket:

    inc   p(k) ~ k^exponent
    dec   p(k) ~ (m - k)^exponent
    bell  p(k) ~ k^exponent for k <= m/2, else (m - k)^exponent

An S tuple draws bucket k with probability p(k) / n1 and then, evenly, one of the R tuples in it,
whose id is its key. Arrivals are irregular and rates are averages, as in scenario zipf.

Where the paper is silent:
- Ages are whole: bucket k holds R tuples that arrived more than (k-1) w and at most k w units
  ago, w = window / m. So no pair falls into one step, and all are within the window.
- R has been running for a window before time 0, so that the first S tuples find all ages. R tuples
  before time 0 are not in the trace; their ids are 0 and below, and S tuples with these join none.
- An S tuple joins one R tuple, so n1 = rate_right / rate_left at most. With a lower n1 the other
  S tuples carry ids that R does not have; a higher one is refused.
- A bucket is at least as wide as R's longest gap, so it is never empty.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.trace.scenarios._arrivals import LONGEST_GAP, irregular_times, merge_streams
from streamjoin_core.trace.scenarios._frequencies import draw_keys
from streamjoin_core.trace.scenarios._scenario import Arrivals, Scenario


@dataclass(frozen=True)
class Age(Parameters):
    curve: str = parameter(
        "inc", "results over an R tuple's age: inc, dec or bell", choices=("inc", "dec", "bell")
    )
    exponent: float = parameter(2.0, "power by which the curve rises or falls", least=0)
    n1: float = parameter(5.0, "results of an R tuple in its lifetime", above=0)
    buckets: int = parameter(20, "parts of the window, each with its own p(k)", least=2)
    rate_left: float = parameter(1.0, "tuples of R per unit of time", above=0)
    rate_right: float = parameter(5.0, "tuples of S per unit of time", above=0)
    window: int = parameter(500, "lifetime of an R tuple", least=2)

    def __post_init__(self):
        super().__post_init__()
        if self.n1 * self.rate_left > self.rate_right:
            raise InputError(
                f"parameter n1 is {self.n1}, but there are only {self.rate_right / self.rate_left} "
                "S tuples per R tuple: lower n1, or raise rate_right"
            )
        longest_gap = LONGEST_GAP / self.rate_left
        if self.window // self.buckets < longest_gap:
            raise InputError(
                f"a bucket of {self.window / self.buckets} units may be empty, as R tuples are up "
                f"to {longest_gap} apart: take fewer buckets, a longer window or a higher rate_left"
            )

    def shares(self) -> np.ndarray:
        """p(k) / n1 of the buckets k = 1, 2, ..."""
        young = np.arange(1, self.buckets + 1)
        old = self.buckets - young
        is_rising = {"inc": True, "dec": False, "bell": young <= self.buckets / 2}[self.curve]
        base = np.where(is_rising, young, old)
        weights = (base / base.max()) ** self.exponent
        return weights / weights.sum()


def generate(params: Age, steps: int, rng: np.random.Generator) -> Arrivals:
    # R's first tuple arrives after a gap, and must be a window old at time 0.
    early = params.window + int(LONGEST_GAP / params.rate_left) + 1
    left = irregular_times(params.rate_left, early + steps, rng) - early
    right = irregular_times(params.rate_right, steps, rng)
    chosen = _partners(params, left + early, right + early, rng)
    first = int(np.searchsorted(left, 0))  # earlier ones are not in the trace
    keys = chosen - first + 1

    share = params.n1 * params.rate_left / params.rate_right
    if share < 1:
        alone = np.flatnonzero(rng.random(len(keys)) >= share)
        keys[alone] = len(left) + np.arange(len(alone)) + 1
    return merge_streams([left[first:], right], [np.arange(1, len(left) - first + 1), keys])


def _partners(
    params: Age, left: np.ndarray, right: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """For each S tuple the number of the R tuple that it joins; times are 0 or more."""
    before = np.concatenate(([0], np.cumsum(np.bincount(left))))  # R tuples before each time
    bucket = draw_keys(params.shares(), len(right), rng)
    # Bucket k arrived in [t - kw, t - (k-1)w); whole numbers, so that no rounding shifts it.
    oldest = right - params.window * bucket // params.buckets
    youngest = right - params.window * (bucket - 1) // params.buckets
    start = _at(before, oldest)
    size = _at(before, youngest) - start
    return start + (rng.random(len(right)) * size).astype(np.int64)


def _at(before: np.ndarray, time: np.ndarray) -> np.ndarray:
    return before[np.minimum(time, len(before) - 1)]


def model(params: Age, rng: np.random.Generator) -> str:
    return (
        "Every id occurs on R once, so keys follow no distribution: policy age learns the age "
        "curve from the trace."
    )


SCENARIO = Scenario("age", "chance to join depends on a tuple's age", Age, generate, model)
