"""With alpha=adaptive HEEB weighs by the mean lifetime so far: against plain Python."""

from itertools import pairwise
from math import exp, sqrt

import numpy as np
import pytest

import streamjoin_core as sj
from tests.oracle.join_measures import measures
from tests.oracle.slow_heeb import SlowHeeb
from tests.oracle.slow_join import Arrivals
from tests.policies.test_heeb_caching import MODELS, slow_hits
from tests.test_against_oracle import as_trace

ALPHAS = [2 ** (half / 2) for half in range(-2, 24)]
LIFETIMES = [1 / (1 - exp(-1 / alpha)) for alpha in ALPHAS]


class Adapting:
    """The alpha whose lifetime is nearest the mean of those observed, by their ratio."""

    def __init__(self):
        self.observed = []

    @property
    def alpha(self) -> float:
        if not self.observed:
            return ALPHAS[len(ALPHAS) // 2]
        mean = sum(self.observed) / len(self.observed)
        bounds = [sqrt(a * b) for a, b in pairwise(LIFETIMES)]
        return ALPHAS[sum(mean > bound for bound in bounds)]


class SlowAdaptive(SlowHeeb):
    def remove(self, row, how, step):
        stayed = self.join.steps[step][0] - self.join.rows[row][0]
        if stayed > 0:  # who was dropped on arrival was never in memory
            self.life.observed.append(stayed)
        super().remove(row, how, step)

    @property
    def alpha(self):
        return self.life.alpha


@pytest.mark.parametrize("seed", range(3))
def test_joining(seed):
    rng = np.random.default_rng(seed)
    noise = {"kind": "normal", "sigma": 1.5, "bound": 4}
    models = [{"kind": "trend", "slope": 0.5, "intercept": i, "noise": noise} for i in (0, -1)]
    # One arrival a step: within a step, nobody's leaving changes how others are scored.
    rows = [
        (
            now,
            int(rng.integers(0, 2)) if now > 1 else now,
            int(now / 2 + rng.integers(-4, 5)),
            1.0,
            None,
        )
        for now in range(45)
    ]
    run = SlowAdaptive(
        Arrivals(rows, None, "time", "=", None), "heeb", {}, 3, "shared", "probe-first", 0, None
    )
    run.models, run.horizon, run.life = models, float("inf"), Adapting()
    for step in range(len(rows)):
        run.step(step)
    slow = measures(run.join, run, "min", 0, False)
    model = dict(zip("RS", models, strict=True))
    (fast,) = sj.replay(as_trace(rows), policy="heeb:alpha=adaptive", mem=3, model=model).runs
    assert (fast.results, fast.mean_lifetime) == (slow["results"], slow["mean_lifetime"])
    assert len(run.life.observed) > 10


@pytest.mark.parametrize("seed", range(3))
def test_caching(seed):
    model, rng, life = MODELS["trend"], np.random.default_rng(seed), Adapting()
    keys = [int(rng.integers(-3, 4) + now // 2) for now in range(40)]
    slow = slow_hits(keys, model, 3, lambda wait: exp(-wait / life.alpha), 30, life.observed)
    (run,) = sj.replay(
        sj.trace_from_arrays(np.arange(40), keys),
        policy="heeb:alpha=adaptive",
        mem=3,
        problem="caching",
        model={"R": model},
    ).runs
    assert run.hits == slow
    assert len(life.observed) > 5
