"""What recall a join has from how much memory: in theory, as measured, or at best."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from streamjoin_core.age.curve import AgeCurve
from streamjoin_core.age.theory import best_split, find_rates, full_window
from streamjoin_core.engine.joining import Join, JoinTask
from streamjoin_core.engine.unlimited import EXACT
from streamjoin_core.errors import InputError
from streamjoin_core.optimal import solve
from streamjoin_core.options import Split
from streamjoin_core.parameters import Parameters
from streamjoin_core.policies.base import Policy

CURVES = ("theory", "measured", "optimal")
_POINTS = {"theory": 400, "measured": 30, "optimal": 60}  # in between, recall goes straight


@dataclass(frozen=True, eq=False)
class Shared:
    """A join that shares its memory with others, and how it is replayed."""

    join: Join
    policy: Policy
    params: Parameters
    split: Split
    curves: tuple[AgeCurve, AgeCurve] | None
    model: dict | None
    seed: int

    @property
    def exact(self) -> int:
        return int(self.join.unlimited.pairs[EXACT])

    @property
    def need(self) -> int:
        """Memory that holds both windows, or the one that the split leaves any memory to."""
        held = full_window(self.join, find_rates(self.join))
        if self.split.shares is not None:
            held = held * [share > 0 for share in self.split.shares]
        return max(1, int(np.ceil(held.sum())))

    def task(self, mem: int) -> JoinTask:
        parts = self.split.parts(mem)
        if self.split.is_auto:
            parts = best_split(self.join, self.curves, mem)
        return JoinTask(self.join, self.params, parts, self.seed, self.model, self.curves)

    def measured(self, mem: int) -> float | None:
        """The recall of a replay."""
        if self.exact == 0:
            return None
        return int(self.policy.joining(self.task(mem)).results.sum()) / self.exact


def recall_curve(shared: Shared, kind: str, mem: int) -> np.ndarray:
    """Recall for every memory from 0 to what the join needs, or there is; it never falls."""
    top = min(shared.need, mem)
    points = np.unique(np.linspace(0, top, min(top, _POINTS[kind]) + 1).round().astype(int))
    recall = _SOURCES[kind](shared, points.tolist())
    return np.interp(np.arange(top + 1), points, np.maximum.accumulate(recall))


def _in_theory(shared: Shared, memories: list[int]) -> list[float]:
    if shared.policy.theory is None:
        raise InputError(
            f"there is no theory of policy {shared.policy.name!r}: give --curve measured, or "
            "--policy age or prob"
        )
    found = [shared.policy.theory(shared.task(mem)) for mem in memories]
    if None in found:
        raise InputError(
            f"theory has no recall for {shared.join.trace.origin}, as it has no window or no "
            "results: give --window, or --curve measured"
        )
    return found


def _as_measured(shared: Shared, memories: list[int]) -> list[float]:
    return [shared.measured(mem) for mem in memories]


def _at_best(shared: Shared, memories: list[int]) -> list[float]:
    positive = [mem for mem in memories if mem]
    wanted = [shared.task(mem).parts for mem in positive]
    solution = solve(shared.join, wanted)
    best = [solution.optimum(parts).lower / shared.exact for parts in wanted]
    return [0.0] * (len(memories) - len(positive)) + best


_SOURCES: dict[str, Callable[[Shared, list[int]], list[float]]] = {
    "theory": _in_theory,
    "measured": _as_measured,
    "optimal": _at_best,
}
