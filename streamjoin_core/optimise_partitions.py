"""The optimum of a partitioned memory: each partition's own, added up."""

from dataclasses import dataclass, replace
from time import perf_counter

from streamjoin_core.engine.facts import add_up
from streamjoin_core.errors import InputError
from streamjoin_core.execute import (
    answer_all,
    check_jobs,
    cut_up,
    partition_accounts,
    trace_account,
)
from streamjoin_core.optimal.solution import Optimum
from streamjoin_core.optimise import Asked, ask, ask_partition, check_options, find, optimum_options
from streamjoin_core.optimise import answer as answer_whole
from streamjoin_core.partitions.processes import processes
from streamjoin_core.partitions.warming import answer_warm
from streamjoin_core.partitions.work import Gains, Work, first_counted_time, make_work
from streamjoin_core.plan import Plan
from streamjoin_core.progress import Progress, silent
from streamjoin_core.report.optimum import OptimumReport
from streamjoin_core.report.optimum_run import Basis, optimum_run
from streamjoin_core.trace.given import as_trace
from streamjoin_core.trace.trace import Trace
from streamjoin_core.version import installed_version


@dataclass(frozen=True, eq=False)
class OptimumWork:
    """What every partition is asked."""

    asked: Asked
    work: Work

    @property
    def plan(self) -> Plan:
        return self.asked.plan


@dataclass(frozen=True, eq=False)
class OptimumAnswer:
    """What one partition found."""

    number: int
    rows: int
    fingerprint: str
    gains: Gains
    optima: tuple[Optimum, ...]  # one per memory
    nodes: int | None
    arcs: int | None
    graph: str
    is_exact: bool
    seconds_to_build: float
    seconds: float


def best(trace, *, whole: bool = False, jobs: int = 1, spark=None, progress=None, **options):
    """The report on the optimum, of the whole memory or of a partitioned one.

    With `whole`, a partitioned memory is compared with one that is not.
    """
    asked = check_options(**options)
    if asked.plan.partitions is None and spark is None:
        if whole or jobs > 1:
            raise InputError("there are no partitions to compare or to share: give --partitions")
        return answer_whole(ask(trace, progress=progress, **options), progress)
    if spark is not None:
        if whole:
            raise InputError("no machine of a cluster has the whole trace: leave --whole out")
        from streamjoin_core.spark.optimum import optimise_on

        return optimise_on(spark, asked, trace, progress)
    progress = progress or silent
    jobs = check_jobs(jobs, asked.plan)
    with processes(answer_warm, jobs) as each:
        trace = as_trace(trace, "joining", progress)
        work = make_work(asked.plan, trace, first_counted_time(trace.time, asked.plan.warmup))
        partitions = cut_up(trace, asked.plan)
        answers = answer_all(answer_optimum, OptimumWork(asked, work), partitions, each, progress)
    report = optimum_report(asked, work, trace, answers)
    if whole:
        uncut = options | {"partitions": None, "balance": False}
        report = _compared(report, answer_whole(ask(trace, progress=progress, **uncut), progress))
    return report


def answer_optimum(
    of: OptimumWork, number: int, trace: Trace, progress: Progress | None = None
) -> OptimumAnswer:
    """The optimum of one partition, for its share of each memory."""
    start = perf_counter()
    question = ask_partition(of.asked, of.work, number, trace)
    found = find(question, progress)
    unlimited = question.join.unlimited.groups.sum(axis=0, keepdims=True)
    importance = question.join.exact_importance.sum(axis=0, keepdims=True)
    return OptimumAnswer(
        number=number,
        rows=len(trace),
        fingerprint=trace.fingerprint,
        gains=Gains(unlimited, importance),
        optima=tuple(found.optima),
        nodes=found.nodes,
        arcs=found.arcs,
        graph=question.graph,
        is_exact=question.benefit.is_exact,
        seconds_to_build=found.seconds_to_build,
        seconds=perf_counter() - start,
    )


def optimum_report(
    asked: Asked, work: Work, trace: Trace, answers: list[OptimumAnswer]
) -> OptimumReport:
    """The report on all partitions; of the trace itself, rows are not looked at."""
    largest = max(answers, key=lambda answer: answer.rows)
    is_exact = all(answer.is_exact for answer in answers)
    gains = add_up([answer.gains for answer in answers])
    basis = Basis(asked.plan, trace, largest.graph, is_exact, gains)
    nodes, arcs = (add_up([getattr(a, name) for a in answers]) for name in ("nodes", "arcs"))
    optima = [
        Optimum((mem,), *(sum(getattr(one, side) for one in of_all) for side in ("lower", "upper")))
        for mem, of_all in zip(
            asked.plan.memories, zip(*(a.optima for a in answers), strict=True), strict=True
        )
    ]
    return OptimumReport(
        sjoin=installed_version(),
        trace=trace_account(trace.origin, answers),
        options=optimum_options(asked, work, trace),
        runs=tuple(optimum_run(basis, best_one, nodes, arcs) for best_one in optima),
        partitions=partition_accounts(asked.plan, answers),
        seconds_to_build=sum(answer.seconds_to_build for answer in answers),
        seconds_to_solve=sum(answer.seconds - answer.seconds_to_build for answer in answers),
    )


def _compared(report: OptimumReport, uncut: OptimumReport) -> OptimumReport:
    """The report with what memory could have done had it not been cut."""
    name = report.options["objective"]
    runs = [
        replace(run, unpartitioned=getattr(other, name) if other.status == "optimal" else None)
        for run, other in zip(report.runs, uncut.runs, strict=True)
    ]
    return replace(report, runs=tuple(runs))
