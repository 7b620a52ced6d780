"""The offline optimum of a join: the largest total over all replacement schedules."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from streamjoin_core.engine.condition import EQUAL
from streamjoin_core.engine.joining import Join
from streamjoin_core.errors import InputError
from streamjoin_core.optimal.benefit import Benefit, find_benefit
from streamjoin_core.optimal.certificate import Certificate, certify
from streamjoin_core.optimal.schedule import Schedule, make_schedule, streams_of_parts
from streamjoin_core.optimal.solver import PartSolver
from streamjoin_core.options import one_of
from streamjoin_core.progress import Progress, silent

GRAPHS = ("auto", "key", "match")


@dataclass(frozen=True)
class Optimum:
    """The best that a memory can do, or bounds on it if the solver was stopped."""

    parts: tuple[int, ...]  # (both,) or (left, right)
    lower: int | float
    upper: int | float

    @property
    def mem(self) -> int:
        return sum(self.parts)

    @property
    def status(self) -> str:
        return "optimal" if self.lower == self.upper else "bound"


@dataclass(frozen=True, eq=False)
class Solution:
    """The optimum for every memory up to the largest that was asked for."""

    join: Join
    benefit: Benefit
    graph: str  # key or match
    wanted: tuple[tuple[int, ...], ...]
    kept: tuple[int, ...]  # the memory that schedule and certificate are for
    solvers: tuple[PartSolver, ...]
    seconds_to_build: float
    seconds_to_solve: float

    @property
    def optima(self) -> list[Optimum]:
        """For each memory that was asked for."""
        return [self.optimum(parts) for parts in self.wanted]

    def optimum(self, parts: tuple[int, ...]) -> Optimum:
        """For any memory; beyond what was solved there are bounds, since each unit gains less."""
        bounds = [solver.bounds(size) for solver, size in zip(self.solvers, parts, strict=True)]
        lower, upper = (self.benefit.value(sum(side)) for side in zip(*bounds, strict=True))
        return Optimum(parts, lower, upper)

    @property
    def curves(self) -> list[list[int | float]]:
        """Of each part, the optimum for each memory from 0 on, as far as it is solved."""
        return [[self.benefit.value(total) for total in solver.curve()] for solver in self.solvers]

    @property
    def units(self) -> tuple[int, ...]:
        """For how much memory each part is solved."""
        return tuple(solver.units for solver in self.solvers)

    @property
    def nodes(self) -> int:
        return sum(solver.graph.number_of_nodes for solver in self.solvers)

    @property
    def arcs(self) -> int:
        return sum(solver.graph.number_of_arcs for solver in self.solvers)

    @cached_property
    def schedule(self) -> Schedule:
        """The best schedule for the kept memory, or the best one found before it was stopped."""
        leaving = np.max([solver.leaving() for solver in self.solvers], axis=0)
        return make_schedule(self.join, self.benefit, self.kept, leaving)

    @cached_property
    def certificate(self) -> Certificate:
        """The proof that the schedule is the best one; it holds unless the solver was stopped."""
        return certify(self.schedule, self.benefit, tuple(s.prices() for s in self.solvers))


def solve(
    join: Join,
    parts: Iterable[tuple[int, ...]],
    objective: str = "results",
    *,
    graph: str = "auto",
    keep: tuple[int, ...] | None = None,
    deadline: float | None = None,
    may_stop: bool = False,
    progress: Progress | None = None,
) -> Solution:
    """The optimum for memories given by the sizes of their parts: (both,) or (left, right).

    One solution for the largest has all smaller ones. `keep` names the memory to take schedule and
    certificate from, by default the largest. After `deadline` seconds, or if it `may_stop` when the
    user interrupts it, what has been found so far is returned, with bounds for what has not.
    """
    progress = progress or silent
    wanted = tuple(tuple(sizes) for sizes in parts)
    kept = tuple(keep) if keep is not None else max(wanted, key=sum)
    start = time.perf_counter()
    benefit = find_benefit(join, objective)
    kind = choose_graph(join, benefit, graph)
    progress("building the graph", 0, 1)
    solvers = tuple(
        PartSolver(join, benefit, kind, streams, max(sizes), size)
        for streams, sizes, size in zip(
            streams_of_parts(len(kept)), zip(*wanted, kept, strict=True), kept, strict=True
        )
    )
    built = time.perf_counter()
    try:
        _advance_all(solvers, None if deadline is None else start + deadline, progress)
    except KeyboardInterrupt:
        if not may_stop:
            raise
    solved = time.perf_counter()
    return Solution(join, benefit, kind, wanted, kept, solvers, built - start, solved - built)


def choose_graph(join: Join, benefit: Benefit, graph: str = "auto") -> str:
    """The key graph where it applies, else the match graph; or the one asked for."""
    one_of("graph", graph, GRAPHS)
    if join.rules.evict_first:
        raise InputError(
            "the offline optimum is for probe-first: under evict-first a pair needs two cached "
            "tuples at once, so it is no flow problem; leave --order evict-first out"
        )
    applies = join.rules.condition.kind == EQUAL and benefit.is_equal_for_all
    if graph == "key" and not applies:
        raise InputError(
            "the key graph is for equality joins whose results all count the same: take the match "
            "graph"
        )
    return graph if graph != "auto" else "key" if applies else "match"


def _advance_all(solvers: tuple[PartSolver, ...], end: float | None, progress: Progress) -> None:
    """Advance all parts in turn until they are done or time is over."""
    total = sum(solver.largest for solver in solvers)
    while not all(solver.is_done for solver in solvers):
        progress("adding memory", sum(solver.units for solver in solvers), total)
        for solver in solvers:
            if end is not None and time.perf_counter() >= end:
                return
            if not solver.is_done:
                solver.advance()
    progress("adding memory", total, total)
