"""Carrying out a plan on a trace: run after run, from facts to the report."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from streamjoin_core.age import given as age_curves
from streamjoin_core.age.curve import AgeCurve
from streamjoin_core.age.theory import best_split
from streamjoin_core.engine.caching import CachingTask
from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import Join, JoinTask, prepare_join
from streamjoin_core.errors import InputError
from streamjoin_core.models.fitted import ToFit, fitted_model
from streamjoin_core.models.given import GivenModel, given_model
from streamjoin_core.models.stationary import probabilities
from streamjoin_core.options import OBJECTIVES, Split, window_of_kind
from streamjoin_core.plan import Job, Plan
from streamjoin_core.policies.base import Policy
from streamjoin_core.progress import Progress, silent
from streamjoin_core.report.intervals import summarise
from streamjoin_core.report.measures import WholeJoin, caching_measures, join_measures, share
from streamjoin_core.report.report import CachingRun, JoinRun, Report
from streamjoin_core.trace.given import as_trace
from streamjoin_core.trace.trace import Trace
from streamjoin_core.version import installed_version

_CHUNK = 1 << 20


class Prepared(NamedTuple):
    """A plan on its trace, ready to run."""

    plan: Plan
    trace: Trace
    options: dict  # that took effect
    join: Join | None  # None for caching
    model: dict | None  # per stream label, if something is known
    curves: tuple[AgeCurve, AgeCurve] | None  # where anything depends on them
    run: Callable[[Job], JoinRun | CachingRun]

    def parts(self, mem: int | None, policy: Policy | None = None) -> tuple[int, ...]:
        """The sizes of the memory's parts, which a policy may have in its own way."""
        split = self.plan.split_of(policy) if policy else self.plan.split
        return memory_parts(split, self.join, self.curves, mem)


def execute(plan: Plan, trace, progress: Progress | None = None) -> Report:
    """Replay all jobs of a plan."""
    progress = progress or silent
    prepared = prepare(plan, trace, progress)
    jobs = list(plan.jobs())
    runs = []
    for done, job in enumerate(jobs):
        progress(f"replaying {job.label}", done, len(jobs))
        runs.append(prepared.run(job))
    progress("replaying", len(jobs), len(jobs))
    return report_of(prepared, runs)


def prepare(plan: Plan, trace, progress: Progress) -> Prepared:
    """Read the trace, check what could not be checked without it, and prepare what runs share."""
    trace = as_trace(trace, plan.problem, progress)
    for policy, params in plan.policies:
        if policy.check:
            policy.check(params, trace)
    model = _model(plan, trace)
    window = window_of_kind(plan.window, plan.window_kind, trace.time_unit)
    options = effective_options(plan, trace, window, model)
    join = curves = None
    if plan.problem == "caching":
        run = _caching_runner(plan, trace, model)
    else:
        join = join_of_plan(plan, trace, window)
        if plan.needs_curves:
            progress("learning age curves", 0, 0)
            curves = age_curves.find_curves(plan.age_curve, join)
            options["age_curve"] = age_curves.account(plan.age_curve, join, curves)
        run = _joining_runner(plan, join, model, curves)
    return Prepared(plan, trace, options, join, model.entries if model else None, curves, run)


def report_of(prepared: Prepared, runs: list) -> Report:
    """The report of all runs of a plan, in the order of its jobs."""
    return Report(
        sjoin=installed_version(),
        trace=prepared.trace.account(),
        options=prepared.options,
        runs=tuple(runs),
        summaries=summarise(runs),
    )


def _model(plan: Plan, trace: Trace) -> GivenModel | None:
    if isinstance(plan.model, ToFit):
        return fitted_model(plan.model, trace, plan.problem)
    return given_model(plan.model, trace, plan.streams)


def join_of_plan(plan: Plan, trace: Trace, window: tuple[int, int] | None) -> Join:
    """The join that a plan asks for."""
    return prepare_join(
        trace,
        window=window,
        by_tuples=plan.window_kind == "tuples",
        evict_first=plan.order == "evict-first",
        on=plan.on,
        band=plan.band,
        combination=plan.combine,
        first_counted=first_counted_row(trace.time, plan.warmup),
    )


def _joining_runner(
    plan: Plan,
    join: Join,
    model: GivenModel | None,
    curves: tuple[AgeCurve, AgeCurve] | None,
) -> Callable[[Job], JoinRun]:
    """A function that does one job on the join, which is prepared once."""
    check_model(plan, model)
    entries = model.entries if model else None
    if plan.dominance:
        if entries is None:
            raise InputError("optimal decisions need a model of the streams: give --model")
        from streamjoin_core.optimal.dominance import optimal_decisions

    @cache
    def parts_of(split: Split, mem: int | None) -> tuple[int, ...]:
        return memory_parts(split, join, curves, mem)

    wanted = {parts_of(plan.split_of(job.policy), job.mem) for job in plan.jobs()}
    ceilings = _ceilings(plan, join, wanted)
    records = plan.dominance or plan.fairness

    def run(job: Job) -> JoinRun:
        parts = parts_of(plan.split_of(job.policy), job.mem)
        task = JoinTask(join, job.params, parts, job.seed, entries, curves, records=records)
        facts = job.policy.joining(task)
        measures = join_measures(facts, whole_join(join, plan.count_same_step))
        limit = None if job.policy.ignores_memory else parts
        shares = {
            objective: share(measures[objective], ceiling(limit))
            for objective, ceiling in ceilings.items()
        }
        theory = job.policy.theory(task) if job.policy.theory else None
        counted = optimal_decisions(task, facts) if plan.dominance else {}
        return JoinRun(
            **_identity(job),
            parts=parts if len(parts) == 2 else None,
            **measures,
            theoretical_recall=theory,
            ratio_to_opt=shares.get("results"),
            ratio_to_opt_importance=shares.get("importance"),
            stays=_stays(join, facts) if plan.fairness else None,
            **counted,
        )

    return run


def memory_parts(
    split: Split, join: Join, curves: tuple[AgeCurve, AgeCurve] | None, mem: int | None
) -> tuple[int, ...]:
    """The sizes of the memory's parts."""
    if mem is None:
        return (len(join.trace),)
    return best_split(join, curves, mem) if split.is_auto else split.parts(mem)


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


def _caching_runner(
    plan: Plan, trace: Trace, model: GivenModel | None
) -> Callable[[Job], CachingRun]:
    """A function that does one job on the references of the trace."""
    if len(trace.labels) > 1:
        raise InputError(f"{trace.origin} has two streams: caching takes one stream of references")
    if trace.group is not None:
        raise InputError("caching has no groups: leave --group-by out")
    known = _stationary_entry(model)
    check_model(plan, known)
    first_counted = first_counted_row(trace.time, plan.warmup)
    chances = None if known is None else probabilities(known, trace)
    entries = model.entries if model else None

    def run(job: Job) -> CachingRun:
        task = CachingTask(trace, job.params, job.mem, job.seed, first_counted, chances, entries)
        facts = job.policy.caching(task)
        return CachingRun(**_identity(job), **caching_measures(facts, trace.time_unit))

    return run


def _identity(job: Job) -> dict:
    return {
        "policy": job.policy.name,
        "label": job.label,
        "params": job.params.as_dict(),
        "mem": job.mem,
        "seed": job.seed,
    }


def check_model(plan: Plan, known) -> None:
    needy = next((policy for policy, _ in plan.policies if "model" in policy.needs), None)
    if needy and known is None:
        raise InputError(f"policy {needy.name!r} needs a model of the stream: give --model")


def _stationary_entry(model: GivenModel | None) -> dict | None:
    """What is known of the one stream of references, if it gives probabilities."""
    entries = model.entries.values() if model else ()
    return next((entry for entry in entries if entry["kind"] == "stationary"), None)


def first_counted_row(time: np.ndarray, warmup: int) -> int:
    """The first row after so many steps, found piece by piece, since a trace may be long."""
    if warmup == 0:
        return 0
    for start in range(0, len(time) - 1, _CHUNK):
        chunk = time[start : start + _CHUNK + 1]
        starts_of_steps = np.flatnonzero(chunk[1:] != chunk[:-1])
        if warmup <= len(starts_of_steps):
            return start + int(starts_of_steps[warmup - 1]) + 1
        warmup -= len(starts_of_steps)
    return len(time)


def whole_join(join: Join, count_same_step: bool) -> WholeJoin:
    trace = join.trace
    return WholeJoin(
        pairs=join.unlimited.groups,
        importance=join.exact_importance,
        weight_of_a_pair=join.weight_of_a_pair,
        group_labels=None if trace.group is None else trace.group_labels,
        time_unit=trace.time_unit,
        count_same_step=count_same_step,
    )


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
    }
