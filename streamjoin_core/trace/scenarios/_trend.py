"""Linear trends with bounded noise, as tower, roof and floor have them.

After Xie, Yang and Chen 2005, section 8.

X_t = floor(speed t + intercept + 1/2) + Y_t, with intercept 0 for S and -speed * lag for R: R is
where S was `lag` steps ago. Noise terms Y_t are integers, independent of each other.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.trace.scenarios._arrivals import one_per_step
from streamjoin_core.trace.scenarios._limits import check_reach
from streamjoin_core.trace.scenarios._processes import bounded_normal
from streamjoin_core.trace.scenarios._scenario import LABELS, Arrivals


@dataclass(frozen=True)
class Trend(Parameters):
    """What every linear trend needs."""

    speed: float = parameter(1.0, "by how much the mean grows per step, the same in both streams")
    lag: float = parameter(1.0, "by how many steps R is behind S")
    bound_left: int = parameter(10, "largest noise of R, either way", least=0)
    bound_right: int = parameter(15, "largest noise of S, either way", least=0)
    streams: int = parameter(2, "2 for joining; 1 for caching (R only)", choices=(1, 2))

    def __post_init__(self):
        super().__post_init__()
        check_reach(max(self.bound_left, self.bound_right))

    @property
    def bounds(self) -> tuple[int, ...]:
        return (self.bound_left, self.bound_right)[: self.streams]

    @property
    def lines(self) -> list[dict]:
        """Slope and intercept of each stream."""
        intercepts = (0.0 - self.speed * self.lag, 0.0)
        return [{"slope": self.speed, "intercept": b} for b in intercepts[: self.streams]]


@dataclass(frozen=True)
class NormalTrend(Trend):
    """A trend whose noise is normal; the scenarios give the deviations their defaults."""

    sigma_left: float = parameter(1.0, "standard deviation of R's noise", above=0)
    sigma_right: float = parameter(1.0, "standard deviation of S's noise", above=0)

    @property
    def sigmas(self) -> tuple[float, ...]:
        return (self.sigma_left, self.sigma_right)[: self.streams]


def trend_arrivals(params: Trend, noises: list[np.ndarray]) -> Arrivals:
    """One key per stream and step: the trend's value plus noise."""
    steps = len(noises[0])
    check_reach(abs(params.speed) * (steps + abs(params.lag)) + max(params.bounds))
    keys = []
    for line, noise in zip(params.lines, noises, strict=True):
        mean = np.floor(line["slope"] * np.arange(steps) + line["intercept"] + 0.5)
        keys.append(mean.astype(np.int64) + noise)
    return one_per_step(*keys)


def trend_model(params: Trend, noises: list[dict]) -> dict:
    """The model file's entries of a trend with the given kinds of noise."""
    entries = [
        {"kind": "trend", **line, "noise": noise}
        for line, noise in zip(params.lines, noises, strict=True)
    ]
    return dict(zip(LABELS, entries, strict=False))


def normal_trend(params: NormalTrend, steps: int, rng: np.random.Generator) -> Arrivals:
    """Arrivals of a trend with bounded normal noise."""
    scales = zip(params.sigmas, params.bounds, strict=True)
    return trend_arrivals(params, [bounded_normal(*scale, steps, rng) for scale in scales])


def normal_trend_model(params: NormalTrend) -> dict:
    """The model file's entries of a trend with bounded normal noise."""
    scales = zip(params.sigmas, params.bounds, strict=True)
    noises = [{"kind": "normal", "sigma": sigma, "bound": bound} for sigma, bound in scales]
    return trend_model(params, noises)
