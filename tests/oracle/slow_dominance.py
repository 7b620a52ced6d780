"""Slow dominance: every subset of the candidates is tried, with ECBs by enumeration."""

from itertools import accumulate, combinations

from tests.oracle.rules import window_pair
from tests.oracle.slow_heeb import SlowHeeb
from tests.oracle.slow_join import Arrivals, Replay

ROUNDING = 1e-9
FAR = 60  # time units after which nothing that is asked for changes any more


def slow_decisions(rows, *, policy, models, mem, seed=0, **options) -> dict:
    """Counts of decisions under a policy that slow_replay knows."""
    window, kind = window_pair(options.get("window")), options.get("window_kind", "time")
    join = Arrivals(rows, window, kind, options.get("on", "="), options.get("band"))
    split = options.get("split", "shared")
    run = SlowDecisions(join, policy, {}, mem, split, "probe-first", seed, None)
    run.models, run.counts = models, [0, 0, 0]
    for step in range(len(join.steps)):
        run.step(step)
    names = ("decisions", "decidable_decisions", "optimal_decisions")
    return dict(zip(names, run.counts, strict=True))


class SlowDecisions(SlowHeeb):
    score = Replay.score

    def keep(self, step):
        before = self.in_memory()
        super().keep(step)
        left = before - self.in_memory()
        for _, streams in self.parts:
            candidates = {row for row in before if self.join.rows[row][1] in streams}
            if candidates & left:
                self.judge({row: self.curve(row, step) for row in candidates}, candidates & left)

    def curve(self, row, step) -> list:
        """B up to far ahead, and the gain from there on."""
        windows = self.join.windows
        far = FAR if windows is None else max(*windows, 0) + 1
        rest = far if windows is None else self.join.remaining(row, step)
        stream = self.join.rows[row][1]
        gains = [
            self.chance_of_joining(row, stream, step, wait) if wait <= rest else 0.0
            for wait in range(1, far + 1)
        ]
        return [*accumulate(gains), gains[-1]]

    def judge(self, curves, left):
        subsets = combinations(curves, len(left))
        self.counts[0] += 1
        self.counts[1] += any(is_dominated(set(subset), curves) for subset in subsets)
        self.counts[2] += is_dominated(left, curves)


def is_dominated(subset, curves) -> bool:
    """Whether all others are nowhere below any of the subset."""
    return all(
        high >= low - ROUNDING
        for other in curves.keys() - subset
        for one in subset
        for high, low in zip(curves[other], curves[one], strict=True)
    )
