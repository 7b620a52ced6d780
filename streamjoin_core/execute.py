"""Carrying out a plan on a trace: partition by partition, from facts to the report."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from streamjoin_core.engine.joining import Join, weight_of_a_pair
from streamjoin_core.engine.rules import COMBINATIONS
from streamjoin_core.errors import InputError
from streamjoin_core.models.given import GivenModel
from streamjoin_core.options import whole_number
from streamjoin_core.partitions.balance import balanced
from streamjoin_core.partitions.partitioning import Partitioning, cut
from streamjoin_core.partitions.processes import Each, processes
from streamjoin_core.partitions.replaying import (
    Ready,
    answer_partition,
    make_ready,
    memory_parts,
)
from streamjoin_core.partitions.warming import answer_warm
from streamjoin_core.partitions.work import (
    Answer,
    Gains,
    JobAnswer,
    Work,
    first_counted_time,
    make_work,
    total,
)
from streamjoin_core.plan import Job, Plan
from streamjoin_core.policies.base import Policy
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
    with processes(answer_warm, jobs) as each:
        trace = as_trace(trace, plan.problem, progress)
        work = make_work(plan, trace, first_counted_time(trace.time, plan.warmup))
        answers = answer_all(answer_partition, work, cut_up(trace, plan), each, progress)
    return make_report(work, trace, answers)


class Prepared(NamedTuple):
    """A plan on its whole trace, ready to run job by job."""

    work: Work
    trace: Trace
    ready: Ready

    @property
    def plan(self) -> Plan:
        return self.work.plan

    @property
    def join(self) -> Join | None:
        return self.ready.join

    @property
    def curves(self):
        return self.ready.curves

    @property
    def model(self) -> dict | None:
        """Per stream label, if something is known."""
        return self.work.model.entries if self.work.model else None

    @property
    def options(self) -> dict:
        """All that took effect."""
        return _options(self.work, self.trace, self.ready.age_curve)

    def parts(self, mem: int | None, policy: Policy | None = None) -> tuple[int, ...]:
        """The sizes of the memory's parts, which a policy may have in its own way."""
        split = self.plan.split_of(policy) if policy else self.plan.split
        return memory_parts(split, self.join, self.ready.curves, mem)

    def run(self, job: Job) -> JoinRun | CachingRun:
        found = self.ready.run(job)
        if self.join is None:
            return _caching_run(self.work, job, found, self.trace)
        return _join_run(self.work, job, found, whole_join(self.join, self.plan.count_same_step))


def prepare(plan: Plan, trace, progress: Progress) -> Prepared:
    """Read the trace, check what could not be checked without it, and prepare what runs share."""
    trace = as_trace(trace, plan.problem, progress)
    work = make_work(plan, trace, first_counted_time(trace.time, plan.warmup))
    return Prepared(work, trace, make_ready(work, 0, trace, progress))


def report_of(trace: dict, options: dict, runs: list) -> Report:
    """The report of all runs of a plan, in the order of its jobs, by the trace's own account."""
    return Report(
        sjoin=installed_version(),
        trace=trace,
        options=options,
        runs=tuple(runs),
        summaries=summarise(runs),
    )


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
    each: Each | None,
    progress: Progress,
) -> list:
    """The answers of all partitions, in order of their numbers."""
    if each is None:
        answers = [answer(work, number, trace, progress) for number, trace in partitions]
        progress("replaying", len(answers), len(answers))
        return answers
    answers = []
    tasks = ((answer, work, *partition) for partition in partitions)
    for found in each(tasks):
        answers.append(found)
        progress("replaying partitions", len(answers), work.plan.parts)
    return sorted(answers, key=lambda answer: answer.number)


def make_report(work: Work, trace: Trace, answers: list[Answer]) -> Report:
    """The report on what all partitions observed; of the trace itself, rows are not looked at."""
    together, plan = total(answers), work.plan
    jobs = zip(work.jobs, together.jobs, strict=True)
    if plan.problem == "caching":
        runs = [_caching_run(work, job, found, trace) for job, found in jobs]
    else:
        labels = together.group_labels
        whole = _whole(trace, together.gains, labels, plan.combine, plan.count_same_step)
        runs = [_join_run(work, job, found, whole) for job, found in jobs]
    return Report(
        sjoin=installed_version(),
        trace=trace_account(trace.origin, answers),
        options=_options(work, trace, together.age_curve),
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


def _join_run(work: Work, job: Job, found: JobAnswer, whole: WholeJoin) -> JoinRun:
    measures = join_measures(found.facts, whole)
    shares = {name: share(measures[name], best) for name, best in (found.ceilings or {}).items()}
    return JoinRun(
        **_identity(work, job),
        parts=None if found.parts is None else tuple(found.parts.tolist()),
        **measures,
        theoretical_recall=found.theory,
        ratio_to_opt=shares.get("results"),
        ratio_to_opt_importance=shares.get("importance"),
        stays=found.stays,
        **(found.decisions or {}),
    )


def _caching_run(work: Work, job: Job, found: JobAnswer, trace: Trace) -> CachingRun:
    return CachingRun(**_identity(work, job), **caching_measures(found.facts, trace.time_unit))


def _identity(work: Work, job: Job) -> dict:
    params = job.params.as_dict()
    if job.policy.settled:
        entries = work.model.entries if work.model else {}
        mem = job.mem if work.plan.partitions is None else None
        params = job.policy.settled(job.params, work.plan.problem, entries, mem)
    return {
        "policy": job.policy.name,
        "label": job.label,
        "params": params,
        "mem": job.mem,
        "seed": job.seed,
    }


def _options(work: Work, trace: Trace, age_curve: dict | None) -> dict:
    options = effective_options(work.plan, trace, work.window, work.model)
    return options if age_curve is None else options | {"age_curve": age_curve}


def effective_options(plan: Plan, trace: Trace, window, model: GivenModel | None) -> dict:
    """All options that took effect, as the report records them."""
    joining = {
        "window": window,
        "window_kind": plan.window_kind,
        "time_unit": trace.time_unit,
        "split": plan.splits,
        "order": plan.order,
        "on": plan.on,
        "band": plan.band,
        "combine": plan.combine,
        "importance": trace.importance_origin,
        "count_same_step": plan.count_same_step,
    }
    asked = ("opt", "objective", "fairness", "dominance")
    return {
        "problem": plan.problem,
        "policy": [policy.label(params) for policy, params in plan.policies],
        "mem": None if plan.memories == (None,) else plan.memories,
        **(joining if plan.problem == "joining" else {"time_unit": trace.time_unit}),
        "warmup": plan.warmup,
        "seed": plan.seed,
        "seeds": plan.seeds,
        "model": model.account() if model else None,
        **({name: getattr(plan, name) for name in asked} if plan.problem == "joining" else {}),
        **({} if plan.partitions is None else _partitions(plan)),
    }


def _partitions(plan: Plan) -> dict:
    return {"partitions": plan.partitions, "balance": plan.balance}
