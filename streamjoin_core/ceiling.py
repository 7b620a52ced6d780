"""The most that anyone could have reached with each memory: what runs are compared with."""

from collections.abc import Callable

from streamjoin_core.engine.joining import Join
from streamjoin_core.optimal import solve

Ceiling = Callable[[tuple[int, ...] | None], int | float]


def find_ceiling(
    join: Join, wanted: set[tuple[int, ...]], objective: str, count_same_step: bool
) -> Ceiling:
    """A function that gives the most results, or importance, for memory parts; None: no limit."""
    whole = join.unlimited.groups if objective == "results" else join.exact_importance
    exact, same_step = whole.sum(axis=0).tolist()
    counted_anyway = same_step if count_same_step else 0
    # One solution for shared memory, and one for divided.
    solutions = {
        number: solve(join, sorted(parts for parts in wanted if len(parts) == number), objective)
        for number in {len(parts) for parts in wanted}
    }

    def ceiling(parts: tuple[int, ...] | None) -> int | float:
        most = exact if parts is None else solutions[len(parts)].optimum(parts).lower
        return most + counted_anyway

    return ceiling
