"""Carrying out a plan on a trace: partition by partition, from facts to the report."""

import hashlib
from collections.abc import Callable, Iterable, Iterator

from streamjoin_core.engine.facts import CachingFacts, JoinFacts
from streamjoin_core.engine.joining import Join, weight_of_a_pair
from streamjoin_core.engine.rules import COMBINATIONS
from streamjoin_core.errors import InputError
from streamjoin_core.models.given import GivenModel
from streamjoin_core.options import whole_number
from streamjoin_core.partitions.balance import balanced
from streamjoin_core.partitions.partitioning import Partitioning, cut
from streamjoin_core.partitions.processes import in_processes
from streamjoin_core.partitions.replaying import answer_partition
from streamjoin_core.partitions.warming import answer_warm
from streamjoin_core.partitions.work import (
    Answer,
    Gains,
    Total,
    Work,
    first_counted_time,
    make_work,
    total,
)
from streamjoin_core.plan import Job, Plan
from streamjoin_core.progress import Progress, silent
from streamjoin_core.report.intervals import summarise
from streamjoin_core.report.measures import WholeJoin, caching_measures, join_measures, share
from streamjoin_core.report.report import CachingRun, JoinRun, Partition, Report
from streamjoin_core.trace.given import as_trace
from streamjoin_core.trace.trace import Trace
from streamjoin_core.version import installed_version


def execute(plan: Plan, trace, progress: Progress | None = None, jobs: int = 1) -> Report:
    """Replay all jobs of a plan, on several partitions at a time if there are so many `jobs`."""
    progress = progress or silent
    jobs = check_jobs(jobs, plan)
    trace = as_trace(trace, plan.problem, progress)
    work = make_work(plan, trace, first_counted_time(trace.time, plan.warmup))
    answers = answer_all(answer_partition, work, cut_up(trace, plan), jobs, progress)
    return make_report(work, trace, answers)


def cut_up(trace: Trace, plan: Plan) -> Iterator[tuple[int, Trace]]:
    """The partitions of a trace with their numbers."""
    partitioning = balanced(trace, plan.parts) if plan.balance else Partitioning(plan.parts)
    return enumerate(cut(trace, partitioning))


def check_jobs(jobs: int, plan: Plan) -> int:
    jobs = whole_number("number of jobs", jobs, least=1, most=1000)
    if jobs > 1 and plan.partitions is None:
        raise InputError("processes share the work by partitions: give --partitions with --jobs")
    return min(jobs, plan.parts)


def answer_all(
    answer: Callable,
    work,
    partitions: Iterable[tuple[int, Trace]],
    jobs: int,
    progress: Progress,
) -> list:
    """The answers of all partitions, in order of their numbers."""
    if jobs == 1:
        answers = [answer(work, number, trace, progress) for number, trace in partitions]
        progress("replaying", len(answers), len(answers))
        return answers
    answers = []
    tasks = ((answer, work, *partition) for partition in partitions)
    for found in in_processes(answer_warm, tasks, jobs):
        answers.append(found)
        progress("replaying partitions", len(answers), work.plan.parts)
    return sorted(answers, key=lambda answer: answer.number)


def make_report(work: Work, trace: Trace, answers: list[Answer]) -> Report:
    """The report on what all partitions observed; of the trace itself, rows are not looked at."""
    together = total(answers)
    make_run = _caching_run if work.plan.problem == "caching" else _join_run
    runs = [make_run(work, trace, together, index) for index in range(len(work.jobs))]
    options = effective_options(work.plan, trace, work.window, work.model)
    if together.age_curve is not None:
        options["age_curve"] = together.age_curve
    return Report(
        sjoin=installed_version(),
        trace=trace_account(trace.origin, answers),
        options=options,
        runs=tuple(runs),
        summaries=summarise(runs),
        partitions=partition_accounts(work.plan, answers),
    )


def trace_account(origin: str, answers: list) -> dict:
    """What a report tells of a trace; a partitioned one's fingerprint is of its partitions'."""
    prints = [answer.fingerprint for answer in answers]
    if len(prints) > 1:
        prints = [hashlib.sha256(" ".join(prints).encode()).hexdigest()[:16]]
    rows = sum(answer.rows for answer in answers)
    return {"path": origin, "rows": rows, "fingerprint": prints[0]}


def partition_accounts(plan: Plan, answers: list) -> tuple[Partition, ...]:
    """What a report tells of partitions; nothing where none were asked for."""
    if plan.partitions is None:
        return ()
    return tuple(Partition(answer.rows, answer.seconds) for answer in answers)


def whole_join(join: Join, count_same_step: bool) -> WholeJoin:
    """What there was to gain in a join."""
    gains = Gains(join.unlimited.groups, join.exact_importance)
    combination = COMBINATIONS[join.rules.combination]
    return _whole(join.trace, gains, join.trace.group_labels, combination, count_same_step)


def _whole(
    trace: Trace, gains: Gains, group_labels: tuple, combination: str, count_same_step: bool
) -> WholeJoin:
    return WholeJoin(
        pairs=gains.pairs,
        importance=gains.importance,
        weight_of_a_pair=weight_of_a_pair(combination),
        group_labels=None if trace.group is None else group_labels,
        time_unit=trace.time_unit,
        count_same_step=count_same_step,
    )


def _join_run(work: Work, trace: Trace, together: Total, index: int) -> JoinRun:
    plan, found = work.plan, together.jobs[index]
    labels = together.group_labels
    whole = _whole(trace, together.gains, labels, plan.combine, plan.count_same_step)
    facts: JoinFacts = found.facts
    measures = join_measures(facts, whole)
    best = found.most_results
    return JoinRun(
        **_identity(work.jobs[index]),
        parts=None if found.parts is None else tuple(found.parts.tolist()),
        **measures,
        theoretical_recall=found.theory,
        ratio_to_opt=None if best is None else share(measures["results"], best),
        **(found.decisions or {}),
    )


def _caching_run(work: Work, trace: Trace, together: Total, index: int) -> CachingRun:
    facts: CachingFacts = together.jobs[index].facts
    measures = caching_measures(facts, trace.time_unit)
    return CachingRun(**_identity(work.jobs[index]), **measures)


def _identity(job: Job) -> dict:
    return {
        "policy": job.policy.name,
        "label": job.label,
        "params": job.params.as_dict(),
        "mem": job.mem,
        "seed": job.seed,
    }


def effective_options(plan: Plan, trace: Trace, window, model: GivenModel | None) -> dict:
    """All options that took effect, as the report records them."""
    joining = {
        "window": window,
        "window_kind": plan.window_kind,
        "time_unit": trace.time_unit,
        "split": plan.split.text,
        "order": plan.order,
        "on": plan.on,
        "band": plan.band,
        "combine": plan.combine,
        "count_same_step": plan.count_same_step,
    }
    return {
        "problem": plan.problem,
        "policy": [policy.label(params) for policy, params in plan.policies],
        "mem": None if plan.memories == (None,) else plan.memories,
        **(joining if plan.problem == "joining" else {"time_unit": trace.time_unit}),
        "warmup": plan.warmup,
        "seed": plan.seed,
        "seeds": plan.seeds,
        "model": model.account() if model else None,
        **({"opt": plan.opt, "dominance": plan.dominance} if plan.problem == "joining" else {}),
        **({} if plan.partitions is None else _partitions(plan)),
    }


def _partitions(plan: Plan) -> dict:
    return {"partitions": plan.partitions, "balance": plan.balance}
