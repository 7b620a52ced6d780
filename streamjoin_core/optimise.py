"""From the question what the best would have been to its answer, memory by memory."""

from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import NamedTuple

from streamjoin_core.age.learn import learn_curves
from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import Join, JoinTask
from streamjoin_core.errors import InputError
from streamjoin_core.execute import effective_options
from streamjoin_core.optimal.benefit import Benefit, find_benefit
from streamjoin_core.optimal.bounds import find_bounds
from streamjoin_core.optimal.estimate import Estimate, estimate, format_bytes, parse_bytes
from streamjoin_core.optimal.peers import PEERS, peer_solve
from streamjoin_core.optimal.solution import GRAPHS, Optimum, Solution, choose_graph, solve
from streamjoin_core.options import one_of
from streamjoin_core.partitions.replaying import join_of, memory_parts
from streamjoin_core.partitions.work import Gains, Work, first_counted_time, make_work
from streamjoin_core.plan import Plan, make_plan
from streamjoin_core.policies.registry import parse_policy
from streamjoin_core.progress import Progress, silent
from streamjoin_core.report.optimum import OptimumReport
from streamjoin_core.report.optimum_run import Basis, optimum_run
from streamjoin_core.trace.given import as_trace
from streamjoin_core.trace.trace import Trace
from streamjoin_core.trace.units import parse_duration
from streamjoin_core.version import installed_version

SOLVERS = ("sjoin", *PEERS)
# Known by name, as they need neither a model nor parameters.
_POLICIES_BELOW = {"results": ("prob", "life", "fifo"), "importance": ("greedy", "prob", "fifo")}


@dataclass(frozen=True)
class Asked:
    """The options of `opt_offline`, checked before a trace is read."""

    plan: Plan
    objective: str
    graph: str  # auto, key or match
    solver: str
    time_limit: float | None  # seconds
    most_bytes: int | None
    bound: bool


@dataclass(frozen=True, eq=False)
class Question:
    """What `opt_offline` was asked of a trace, or of a partition of one."""

    asked: Asked
    number: int  # of the partition; 0 for the whole trace
    trace: Trace
    join: Join
    benefit: Benefit
    graph: str  # key or match
    options: dict

    @property
    def plan(self) -> Plan:
        return self.asked.plan

    @property
    def objective(self) -> str:
        return self.benefit.objective

    @cached_property
    def wanted(self) -> tuple[tuple[int, ...], ...]:
        """The parts of each memory."""
        curves = learn_curves(self.join) if self.plan.split.is_auto else None
        plan = self.plan
        place = {"number": self.number, "partitions": plan.parts}
        return tuple(
            memory_parts(plan.split, self.join, curves, mem, **place) for mem in plan.memories
        )

    @property
    def basis(self) -> Basis:
        """What a run of the optimum is told by."""
        gains = Gains(self.join.unlimited.groups, self.join.exact_importance)
        return Basis(self.plan, self.trace, self.graph, self.benefit.is_exact, gains)

    @cached_property
    def estimate(self) -> Estimate:
        return estimate(self.join, self.benefit, self.graph, self.wanted)


def check_options(
    *,
    mem,
    objective: str = "results",
    graph: str = "auto",
    solver: str = "sjoin",
    time_limit: str | float | None = None,
    max_memory: str | int | None = None,
    bound: bool = False,
    warmup: int = 0,
    partitions: int | None = None,
    balance: bool = False,
    **joining,
) -> Asked:
    """Check all options as far as that goes without the trace."""
    plan = make_plan(
        policy=f"opt:objective={objective}",
        mem=mem,
        problem="joining",
        warmup=warmup,
        seed=0,
        seeds=1,
        model=None,
        opt=False,
        partitions=partitions,
        balance=balance,
        **joining,
    )
    one_of("graph", graph, GRAPHS)
    one_of("solver", solver, SOLVERS)
    seconds, most_bytes = parse_seconds(time_limit), parse_bytes(max_memory)
    if solver != "sjoin" and (bound or seconds is not None):
        raise InputError(f"{solver} cannot be stopped: leave --bound and --time-limit out")
    if partitions is not None and seconds is not None:
        raise InputError("a time limit is for one solve: leave out --time-limit or --partitions")
    return Asked(plan, objective, graph, solver, seconds, most_bytes, bool(bound))


def ask(trace, *, progress: Progress | None = None, **options) -> Question:
    """Check all options, read the trace, and refuse what would need more than `max_memory`."""
    asked = check_options(**options)
    trace = as_trace(trace, "joining", progress or silent)
    counted = first_counted_time(trace.time, asked.plan.warmup)
    return ask_partition(asked, make_work(asked.plan, trace, counted), 0, trace)


def ask_partition(asked: Asked, work: Work, number: int, trace: Trace) -> Question:
    """The question to one partition, the whole trace being the only one where it is not cut."""
    join = join_of(work, trace)
    benefit = find_benefit(join, asked.objective)
    kind = choose_graph(join, benefit, asked.graph)
    question = Question(
        asked, number, trace, join, benefit, kind, optimum_options(asked, work, trace)
    )
    if asked.most_bytes is not None:
        _refuse_more_than(asked.most_bytes, question.estimate)
    return question


def optimum_options(asked: Asked, work: Work, trace: Trace) -> dict:
    """All options that took effect, as the report records them."""
    options = effective_options(asked.plan, trace, work.window, None)
    for name in ("opt", "fairness", "dominance"):  # which are about runs of policies
        del options[name]
    return options | {
        "objective": asked.objective,
        "graph": asked.graph,
        "solver": asked.solver,
        "bound": asked.bound,
        "time_limit": asked.time_limit,
    }


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


class Found(NamedTuple):
    """The optimum for each memory, or bounds on it, and how it was found."""

    optima: list[Optimum]
    nodes: int | None
    arcs: int | None
    solution: Solution | None
    seconds_to_build: float
    seconds_to_solve: float


def find(question: Question, progress: Progress | None = None, *, may_stop: bool = True) -> Found:
    """Solve for all memories, or find bounds, also when the user stops it if that it may."""
    progress = progress or silent
    if question.asked.solver != "sjoin":
        return _by_a_peer(question, progress)
    if question.asked.bound:
        return _by_bounds(question, progress)
    return _by_our_solver(question, may_stop, progress)


def answer(
    question: Question, progress: Progress | None = None, *, may_stop: bool = True
) -> OptimumReport:
    """The optimum for each memory, or bounds on it, also when the user stops it if that it may."""
    found = find(question, progress, may_stop=may_stop)
    basis = question.basis
    return OptimumReport(
        sjoin=installed_version(),
        trace=question.trace.account(),
        options=question.options,
        runs=tuple(optimum_run(basis, best, found.nodes, found.arcs) for best in found.optima),
        solution=found.solution,
        seconds_to_build=found.seconds_to_build,
        seconds_to_solve=found.seconds_to_solve,
    )


def _by_our_solver(question: Question, may_stop: bool, progress: Progress) -> Found:
    solution = solve(
        question.join,
        question.wanted,
        question.objective,
        graph=question.graph,
        deadline=question.asked.time_limit,
        may_stop=may_stop,
        progress=progress,
    )
    return Found(
        solution.optima,
        solution.nodes,
        solution.arcs,
        solution,
        solution.seconds_to_build,
        solution.seconds_to_solve,
    )


def _by_a_peer(question: Question, progress: Progress) -> Found:
    optima, seconds = [], 0.0
    start = perf_counter()
    for done, parts in enumerate(question.wanted):
        progress(f"solving with {question.asked.solver}", done, len(question.wanted))
        found = peer_solve(
            question.join,
            parts,
            question.objective,
            solver=question.asked.solver,
            graph=question.graph,
        )
        seconds += found.seconds_to_solve
        optima.append(Optimum(parts, found.value, found.value))
    return Found(optima, None, None, None, perf_counter() - start - seconds, seconds)


def _by_bounds(question: Question, progress: Progress) -> Found:
    start = perf_counter()
    optima = find_bounds(
        question.join,
        question.benefit,
        question.graph,
        question.wanted,
        lambda parts: _best_policy(question, parts),
        time_limit=question.asked.time_limit,
        progress=progress,
    )
    return Found(optima, None, None, None, 0.0, perf_counter() - start)


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
