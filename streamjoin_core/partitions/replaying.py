"""The replay of one partition, under every policy with every memory and seed."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from time import perf_counter
from typing import NamedTuple

import numpy as np

from streamjoin_core.age import given as age_curves
from streamjoin_core.age.curve import AgeCurve
from streamjoin_core.age.theory import best_split
from streamjoin_core.engine.caching import CachingTask
from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import Join, JoinTask, prepare_join
from streamjoin_core.errors import InputError
from streamjoin_core.models.given import GivenModel
from streamjoin_core.models.stationary import probabilities
from streamjoin_core.options import OBJECTIVES, Split
from streamjoin_core.partitions.shares import memory_share, partition_seed
from streamjoin_core.partitions.work import (
    Answer,
    Gains,
    JobAnswer,
    Work,
    first_counted_row,
)
from streamjoin_core.plan import Job, Plan
from streamjoin_core.progress import Progress, silent
from streamjoin_core.trace.trace import Trace

Curves = tuple[AgeCurve, AgeCurve]


class Ready(NamedTuple):
    """A partition with what its runs share."""

    run: Callable[[Job], JobAnswer]
    join: Join | None  # None for caching
    curves: Curves | None  # where anything depends on them
    age_curve: dict | None  # account of them

    @property
    def gains(self) -> Gains | None:
        join = self.join
        return None if join is None else Gains(join.unlimited.groups, join.exact_importance)


def make_ready(work: Work, number: int, trace: Trace, progress: Progress) -> Ready:
    """Prepare a partition, given by its number and rows."""
    plan = work.plan
    if plan.problem == "caching":
        return Ready(_caching_runner(work, number, trace), None, None, None)
    join, curves, age_curve = join_of(work, trace), None, None
    if plan.needs_curves:
        progress("learning age curves", 0, 0)
        curves = age_curves.find_curves(plan.age_curve, join)
        age_curve = age_curves.account(plan.age_curve, join, curves)
    return Ready(_joining_runner(work, number, join, curves), join, curves, age_curve)


def answer_partition(
    work: Work, number: int, trace: Trace, progress: Progress | None = None
) -> Answer:
    """Replay one partition, given by its number and rows."""
    start, progress, plan = perf_counter(), progress or silent, work.plan
    ready = make_ready(work, number, trace, progress)
    found, done_before, total = [], number * len(work.jobs), plan.parts * len(work.jobs)
    for done, job in enumerate(work.jobs):
        progress(f"replaying {job.label}", done_before + done, total)
        found.append(ready.run(job))
    return Answer(
        number=number,
        rows=len(trace),
        fingerprint=trace.fingerprint,
        group_labels=trace.group_labels,
        jobs=tuple(found),
        gains=ready.gains,
        age_curve=ready.age_curve,
        seconds=perf_counter() - start,
    )


def join_of(work: Work, trace: Trace) -> Join:
    """The join of a partition, on which all runs work."""
    return join_of_plan(work.plan, trace, work.window, work.first_counted_row(trace.time))


def join_of_plan(
    plan: Plan, trace: Trace, window: tuple[int, int] | None, first_counted: int | None = None
) -> Join:
    """The join that a plan asks for; of the whole trace, the plan says which row counts first."""
    if first_counted is None:
        first_counted = first_counted_row(trace.time, plan.warmup)
    return prepare_join(
        trace,
        window=window,
        by_tuples=plan.window_kind == "tuples",
        evict_first=plan.order == "evict-first",
        on=plan.on,
        band=plan.band,
        combination=plan.combine,
        first_counted=first_counted,
    )


def memory_parts(
    split: Split,
    join: Join,
    curves: Curves | None,
    mem: int | None,
    number: int = 0,
    partitions: int = 1,
) -> tuple[int, ...]:
    """The sizes of the parts of a partition's memory."""
    share = memory_share(mem, number, partitions)
    if share is None:
        return (len(join.trace),)
    return best_split(join, curves, share) if split.is_auto else split.parts(share)


def _joining_runner(
    work: Work, number: int, join: Join, curves: Curves | None
) -> Callable[[Job], JobAnswer]:
    """A function that does one job on the join of a partition."""
    plan = work.plan
    check_model(plan, work.model)
    entries = work.model.entries if work.model else None
    if plan.dominance:
        if entries is None:
            raise InputError("optimal decisions need a model of the streams: give --model")
        from streamjoin_core.optimal.dominance import optimal_decisions

    @cache
    def parts_of(split: Split, mem: int | None) -> tuple[int, ...]:
        return memory_parts(split, join, curves, mem, number, plan.parts)

    wanted = {parts_of(plan.split_of(job.policy), job.mem) for job in work.jobs}
    ceilings = _ceilings(plan, join, wanted)
    records = plan.dominance or plan.fairness

    def run(job: Job) -> JobAnswer:
        parts = parts_of(plan.split_of(job.policy), job.mem)
        seed = partition_seed(job.seed, number)
        task = JoinTask(join, job.params, parts, seed, entries, curves, records=records)
        facts = job.policy.joining(task)
        limit = None if job.policy.ignores_memory else parts
        return JobAnswer(
            # What was noted row by row does not leave the partition.
            facts=replace(facts, ways=None, leaving=None, rival=None),
            parts=np.array(parts) if len(parts) == 2 else None,
            theory=job.policy.theory(task) if job.policy.theory else None,
            ceilings={objective: ceiling(limit) for objective, ceiling in ceilings.items()},
            stays=_stays(join, facts) if plan.fairness else None,
            decisions=optimal_decisions(task, facts) if plan.dominance else None,
        )

    return run


def _ceilings(plan: Plan, join: Join, wanted: set[tuple[int, ...]]) -> dict[str, Callable]:
    """What runs are compared with, by objective."""
    if not plan.opt:
        return {}
    from streamjoin_core.ceiling import find_ceiling

    objectives = OBJECTIVES if plan.objective == "both" else (plan.objective,)
    return {
        objective: find_ceiling(join, wanted, objective, plan.count_same_step)
        for objective in objectives
    }


def _stays(join: Join, facts: JoinFacts) -> dict:
    from streamjoin_core.engine.stays import observe_stays
    from streamjoin_core.report.stays import stay_measures

    return stay_measures(observe_stays(join, facts), join.trace.time_unit)


def _caching_runner(work: Work, number: int, trace: Trace) -> Callable[[Job], JobAnswer]:
    """A function that does one job on the references of a partition."""
    known = _stationary_entry(work.model)
    check_model(work.plan, known)
    first_counted = work.first_counted_row(trace.time)
    chances = None if known is None else probabilities(known, trace)
    entries = work.model.entries if work.model else None

    def run(job: Job) -> JobAnswer:
        mem = memory_share(job.mem, number, work.plan.parts)
        seed = partition_seed(job.seed, number)
        task = CachingTask(trace, job.params, mem, seed, first_counted, chances, entries)
        return JobAnswer(job.policy.caching(task))

    return run


def check_model(plan: Plan, known) -> None:
    needy = next((policy for policy, _ in plan.policies if "model" in policy.needs), None)
    if needy and known is None:
        raise InputError(f"policy {needy.name!r} needs a model of the stream: give --model")


def _stationary_entry(model: GivenModel | None) -> dict | None:
    """What is known of the one stream of references, if it gives probabilities."""
    entries = model.entries.values() if model else ()
    return next((entry for entry in entries if entry["kind"] == "stationary"), None)
