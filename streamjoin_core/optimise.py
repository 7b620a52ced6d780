"""From the question what the best would have been to its answer, memory by memory."""

from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import NamedTuple

from streamjoin_core.age.learn import learn_curves
from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import Join, JoinTask
from streamjoin_core.errors import InputError
from streamjoin_core.execute import effective_options, join_of_plan, memory_parts
from streamjoin_core.optimal.benefit import Benefit, find_benefit
from streamjoin_core.optimal.bounds import find_bounds
from streamjoin_core.optimal.estimate import Estimate, estimate, format_bytes, parse_bytes
from streamjoin_core.optimal.peers import PEERS, peer_solve
from streamjoin_core.optimal.solution import GRAPHS, Optimum, Solution, choose_graph, solve
from streamjoin_core.options import one_of, window_of_kind
from streamjoin_core.plan import Plan, make_plan
from streamjoin_core.policies.registry import parse_policy
from streamjoin_core.progress import Progress, silent
from streamjoin_core.report.optimum import OptimumReport
from streamjoin_core.report.optimum_run import optimum_run
from streamjoin_core.trace.given import as_trace
from streamjoin_core.trace.trace import Trace
from streamjoin_core.trace.units import parse_duration
from streamjoin_core.version import installed_version

SOLVERS = ("sjoin", *PEERS)
# Known by name, as they need neither a model nor parameters.
_POLICIES_BELOW = {"results": ("prob", "life", "fifo"), "importance": ("greedy", "prob", "fifo")}


@dataclass(frozen=True, eq=False)
class Question:
    """What `opt_offline` was asked, with its trace."""

    plan: Plan
    trace: Trace
    join: Join
    benefit: Benefit
    graph: str  # key or match
    solver: str
    time_limit: float | None  # seconds
    bound: bool
    options: dict

    @property
    def objective(self) -> str:
        return self.benefit.objective

    @cached_property
    def wanted(self) -> tuple[tuple[int, ...], ...]:
        """The parts of each memory."""
        curves = learn_curves(self.join) if self.plan.split.is_auto else None
        memories = self.plan.memories
        return tuple(memory_parts(self.plan, self.join, curves, mem) for mem in memories)

    @cached_property
    def estimate(self) -> Estimate:
        return estimate(self.join, self.benefit, self.graph, self.wanted)


def ask(
    trace,
    *,
    mem,
    objective: str = "results",
    graph: str = "auto",
    solver: str = "sjoin",
    time_limit: str | float | None = None,
    max_memory: str | int | None = None,
    bound: bool = False,
    warmup: int = 0,
    progress: Progress | None = None,
    **joining,
) -> Question:
    """Check all options, read the trace, and refuse what would need more than `max_memory`."""
    plan = make_plan(
        policy=f"opt:objective={objective}",
        mem=mem,
        problem="joining",
        warmup=warmup,
        seed=0,
        seeds=1,
        model=None,
        opt=False,
        **joining,
    )
    one_of("graph", graph, GRAPHS)
    one_of("solver", solver, SOLVERS)
    seconds, most_bytes = parse_seconds(time_limit), parse_bytes(max_memory)
    if solver != "sjoin" and (bound or seconds is not None):
        raise InputError(f"{solver} cannot be stopped: leave --bound and --time-limit out")
    trace = as_trace(trace, "joining", progress or silent)
    window = window_of_kind(plan.window, plan.window_kind, trace.time_unit)
    join = join_of_plan(plan, trace, window)
    benefit = find_benefit(join, objective)
    kind = choose_graph(join, benefit, graph)
    options = effective_options(plan, trace, window, None)
    del options["opt"], options["dominance"]  # which would judge others by what is asked for here
    options |= {
        "objective": objective,
        "graph": graph,
        "solver": solver,
        "bound": bound,
        "time_limit": seconds,
    }
    question = Question(plan, trace, join, benefit, kind, solver, seconds, bound, options)
    if most_bytes is not None:
        _refuse_more_than(most_bytes, question.estimate)
    return question


def parse_seconds(given: str | float | None) -> float | None:
    """A time limit: a duration such as 60s, or seconds.

    >>> parse_seconds("1.5m"), parse_seconds(2), parse_seconds(None)
    (90.0, 2.0, None)
    """
    if given is None:
        return None
    seconds = parse_duration(given, "ns") / 1e9 if isinstance(given, str) else float(given)
    if not seconds > 0:
        raise InputError(f"time limit {given!r} is no time at all: give one such as 60s")
    return seconds


def _refuse_more_than(most: int, found: Estimate) -> None:
    if found.bytes > most:
        raise InputError(
            f"the {found.graph} graph has {found.nodes:,} nodes and would take about "
            f"{format_bytes(found.bytes)}, more than the {format_bytes(most)} allowed: raise "
            "--max-memory, or take a part of the trace or a shorter window"
        )


class _Answer(NamedTuple):
    optima: list[Optimum]
    nodes: int | None
    arcs: int | None
    solution: Solution | None
    seconds_to_build: float
    seconds_to_solve: float


def answer(
    question: Question, progress: Progress | None = None, *, may_stop: bool = True
) -> OptimumReport:
    """The optimum for each memory, or bounds on it, also when the user stops it if that it may."""
    progress = progress or silent
    if question.solver != "sjoin":
        found = _by_a_peer(question, progress)
    elif question.bound:
        found = _by_bounds(question, progress)
    else:
        found = _by_our_solver(question, may_stop, progress)
    return OptimumReport(
        sjoin=installed_version(),
        trace=question.trace.account(),
        options=question.options,
        runs=tuple(optimum_run(question, best, found.nodes, found.arcs) for best in found.optima),
        solution=found.solution,
        seconds_to_build=found.seconds_to_build,
        seconds_to_solve=found.seconds_to_solve,
    )


def _by_our_solver(question: Question, may_stop: bool, progress: Progress) -> _Answer:
    solution = solve(
        question.join,
        question.wanted,
        question.objective,
        graph=question.graph,
        deadline=question.time_limit,
        may_stop=may_stop,
        progress=progress,
    )
    return _Answer(
        solution.optima,
        solution.nodes,
        solution.arcs,
        solution,
        solution.seconds_to_build,
        solution.seconds_to_solve,
    )


def _by_a_peer(question: Question, progress: Progress) -> _Answer:
    optima, seconds = [], 0.0
    start = perf_counter()
    for done, parts in enumerate(question.wanted):
        progress(f"solving with {question.solver}", done, len(question.wanted))
        found = peer_solve(
            question.join,
            parts,
            question.objective,
            solver=question.solver,
            graph=question.graph,
        )
        seconds += found.seconds_to_solve
        optima.append(Optimum(parts, found.value, found.value))
    return _Answer(optima, None, None, None, perf_counter() - start - seconds, seconds)


def _by_bounds(question: Question, progress: Progress) -> _Answer:
    start = perf_counter()
    optima = find_bounds(
        question.join,
        question.benefit,
        question.graph,
        question.wanted,
        lambda parts: _best_policy(question, parts),
        time_limit=question.time_limit,
        progress=progress,
    )
    return _Answer(optima, None, None, None, 0.0, perf_counter() - start)


def _best_policy(question: Question, parts: tuple[int, ...]) -> int | float:
    """The most that any of a few policies reaches."""
    reached = []
    for name in _POLICIES_BELOW[question.objective]:
        policy, params = parse_policy(name)
        if question.join.has_window or "window" not in policy.needs:
            facts = policy.joining(JoinTask(question.join, params, parts))
            reached.append(_objective_of(facts, question))
    return max(reached)


def _objective_of(facts: JoinFacts, question: Question) -> int | float:
    results = int(facts.results.sum())
    if question.objective == "results":
        return results
    if facts.importance is None:
        return results * question.join.weight_of_a_pair
    return float(facts.importance.sum())
