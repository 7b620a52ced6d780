"""The offline optimum by dynamic programming over cached sets, in plain Python.

Written from the specification alone: at every step the cached rows that are out of their window
leave, the arrivals join the others, and then any choice of candidates that fits may be kept. The
best total that leads to each set of cached rows is all there is to remember.
"""

from itertools import combinations, product

from tests.oracle.rules import memory_parts, window_pair
from tests.oracle.slow_join import Arrivals


def best_total(
    rows,
    *,
    mem,
    window=None,
    window_kind="time",
    split="shared",
    on="=",
    band=None,
    combine="min",
    warmup=0,
    objective="results",
    worth=None,
):
    """The largest number of results or total importance: a whole number or a fraction."""
    join = Arrivals(rows, window_pair(window), window_kind, on, band, worth)
    best = {frozenset(): 0}
    for step, (_, arrivals) in enumerate(join.steps):
        reached = {}
        for cached, total in best.items():
            alive = {row for row in cached if join.in_window(row, step)}
            if step >= warmup:
                total += sum(
                    benefit(join, x, y, combine, objective)
                    for x, y in product(alive, arrivals)
                    if join.rows_join(x, y)
                )
            for kept in choices(rows, alive.union(arrivals), memory_parts(mem, split)):
                reached[kept] = max(total, reached.get(kept, 0))
        best = reached
    return max(best.values())


def benefit(join, x, y, combine, objective):
    return 1 if objective == "results" else join.pair_importance(x, y, combine)


def choices(rows, candidates, parts):
    """All sets that may be kept: nobody leaves while there is room."""
    per_part = []
    for size, streams in parts:
        own = sorted(row for row in candidates if rows[row][1] in streams)
        per_part.append(list(combinations(own, min(size, len(own)))))
    for chosen in product(*per_part):
        yield frozenset(row for kept in chosen for row in kept)
