"""Gathering a dossier: the curves over memory, and each policy in depth with one memory."""

import os
from dataclasses import dataclass, replace

from streamjoin_core.dossier.charts import (
    age_chart,
    left_share_chart,
    lifetimes_chart,
    recall_chart,
    skew_chart,
)
from streamjoin_core.errors import InputError
from streamjoin_core.explanation.report import Explanation
from streamjoin_core.explanation.run import analyse
from streamjoin_core.explanation.summary import summarise
from streamjoin_core.inspection import Inspection, inspect
from streamjoin_core.options import with_join_defaults
from streamjoin_core.plan import Plan, make_plan
from streamjoin_core.policies.registry import parse_policy
from streamjoin_core.progress import Progress, silent
from streamjoin_core.report.chart import Chart, memory_chart, prices_chart
from streamjoin_core.report.report import Report
from streamjoin_core.sweep.run import OPTIMUM, run_sweep
from streamjoin_core.trace.given import as_trace
from streamjoin_core.version import installed_version, versions

_POINTS = 16  # of the curves, unless memories are given


@dataclass(frozen=True, eq=False)
class Dossier:
    """What is known of a trace under several policies."""

    trace: dict
    mem: int
    sweep: Report  # all policies and the optimum, with all memories
    inspection: Inspection
    curves: Chart
    recall: Chart  # over time
    shares: Chart  # of the memory, over time
    prices: Chart | None  # of memory over time; None for an empty trace
    age: Chart  # what tuples give by their age
    skew: Chart
    lifetimes: Chart
    explanations: tuple[Explanation, ...]  # one for each policy
    version: str | None
    versions: dict[str, str | None]

    def as_dict(self) -> dict:
        """The numbers behind the page."""
        return {
            "sweep": self.sweep.as_dict(),
            "explanations": [told.as_dict() for told in self.explanations],
        }


def gather(
    trace,
    *,
    policy: str | list[str] | tuple[str, ...],
    mem: int | str,
    memories: int | str | list | tuple | range | None = None,
    warmup: int = 0,
    seed: int = 0,
    seeds: int = 10,
    model: dict | str | os.PathLike | None = None,
    top: int = 10,
    jobs: int | None = None,
    progress: Progress | None = None,
    **joining,
) -> Dossier:
    """Gather all there is to tell of a trace, its policies in depth with memory `mem`.

    `memories` are those of the curves, by default some up to four times `mem`.
    """
    progress = progress or silent
    plan = make_plan(
        policy=policy,
        mem=mem,
        problem="joining",
        warmup=warmup,
        seed=seed,
        seeds=seeds,
        model=model,
        opt=True,
        **with_join_defaults(joining),
    )
    if len(plan.memories) > 1 or plan.memories == (None,):
        raise InputError("one memory is looked into: give one with --mem; --curve takes several")
    plan = replace(plan, opt=False, policies=tuple(_online(plan)))
    trace = as_trace(trace, "joining", progress)
    (size,) = plan.memories
    sweep = run_sweep(
        _curves_plan(plan, size, memories),
        trace,
        jobs=jobs,
        output=None,
        resume=False,
        note=None,
        progress=progress,
    )
    analyses = [
        analyse(_of_one(plan, place), trace, opt=place == 0, progress=progress)
        for place in range(len(plan.policies))
    ]
    return _dossier(plan, trace, sweep, analyses, top)


def _of_one(plan: Plan, place: int) -> Plan:
    """The plan of one of the policies, with one seed."""
    return replace(plan, policies=plan.policies[place : place + 1], seeds=1)


def _online(plan: Plan) -> list:
    """Without the optimum, which is there anyway."""
    chosen = [entry for entry in plan.policies if entry[0].name != OPTIMUM]
    if not chosen:
        raise InputError("only the optimum is named, which is there anyway: name a policy as well")
    return chosen


def _curves_plan(plan: Plan, size: int, memories) -> Plan:
    """The same with all memories, and the optimum."""
    from streamjoin_core.options import parse_memories

    if memories is None:
        step = max(1, -(-4 * size // _POINTS))
        wanted = {1, size, *range(step, 4 * size + 1, step)}
    else:
        wanted = {size, *parse_memories(memories)}
    return replace(
        plan, memories=tuple(sorted(wanted)), policies=(*plan.policies, parse_policy(OPTIMUM))
    )


def _dossier(plan: Plan, trace, sweep: Report, analyses: list, top: int) -> Dossier:
    first = analyses[0]
    best, solution = first.best, first.solution
    # One solve serves all: each policy is compared with the same optimum.
    analyses = [analysis.beside(best, solution) for analysis in analyses]
    explanations = tuple(summarise(analysis, top) for analysis in analyses)
    inspection = inspect(
        trace,
        window=plan.window,
        window_kind=plan.window_kind,
        on=plan.on,
        band=plan.band,
        warmup=plan.warmup,
        top=top,
    )
    return Dossier(
        trace=trace.account(),
        mem=plan.memories[0],
        sweep=sweep,
        inspection=inspection,
        curves=memory_chart(sweep, "recall"),
        recall=recall_chart(explanations),
        shares=left_share_chart(analyses),
        prices=None if solution is None else prices_chart(solution),
        age=age_chart(first.join),
        skew=skew_chart(trace),
        lifetimes=lifetimes_chart(analyses),
        explanations=explanations,
        version=installed_version(),
        versions=versions(),
    )
