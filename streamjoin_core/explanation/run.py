"""From a run to the explanation of its losses."""

import os
from dataclasses import dataclass, replace

from streamjoin_core.engine.joining import Join, JoinTask
from streamjoin_core.errors import InputError
from streamjoin_core.execute import Prepared, prepare
from streamjoin_core.explanation.fates import Fates, fates_of_run, fates_of_schedule
from streamjoin_core.explanation.ledger import write_ledger
from streamjoin_core.explanation.losses import Losses, find_losses
from streamjoin_core.explanation.report import Explanation
from streamjoin_core.explanation.summary import summarise
from streamjoin_core.optimal import Solution, solve
from streamjoin_core.options import whole_number, with_join_defaults
from streamjoin_core.plan import Job, Plan, make_plan
from streamjoin_core.progress import Progress, silent


@dataclass(frozen=True, eq=False)
class Analysis:
    """A run, tuple by tuple, beside the optimum."""

    prepared: Prepared
    job: Job
    parts: tuple[int, ...]
    fates: Fates
    solution: Solution | None  # of the optimum, if it was asked for
    best: Fates | None
    losses: Losses

    @property
    def join(self) -> Join:
        return self.prepared.join

    def beside(self, best: Fates | None, solution: Solution | None) -> "Analysis":
        """The same run compared with an optimum that is known already."""
        losses = find_losses(self.join, self.parts, self.fates, best)
        return replace(self, best=best, solution=solution, losses=losses)


def explain(
    trace,
    *,
    policy: str,
    mem: int | str,
    ledger: str | os.PathLike | None = None,
    top: int = 10,
    opt: bool = True,
    warmup: int = 0,
    seed: int = 0,
    model: dict | str | os.PathLike | None = None,
    progress: Progress | None = None,
    **joining,
) -> Explanation:
    """Tell where one policy with one memory lost results, and which of them the optimum has.

    The options of the join are those of `replay`. `ledger` is a Parquet file for every lost pair;
    `top` is how many keys and decisions are named; without `opt` the optimum is not asked for.

    >>> from streamjoin_core import trace_from_arrays
    >>> trace = trace_from_arrays([1, 2, 3, 4], ["a", "b", "a", "b"], ["R", "R", "S", "S"])
    >>> told = explain(trace, policy="fifo", mem=1)
    >>> [(cause.cause, cause.lost, cause.had_by_optimum) for cause in told.causes]
    [('evicted too early', 2, 1)]
    """
    top = whole_number("number of keys and decisions", top, least=0)
    plan = explained_plan(policy=policy, mem=mem, warmup=warmup, seed=seed, model=model, **joining)
    analysis = analyse(plan, trace, opt=opt, progress=progress)
    if ledger is not None:
        write_ledger(analysis, ledger, progress or silent)
    return summarise(analysis, top)


def explained_plan(*, policy, mem, warmup, seed, model, **joining) -> Plan:
    """A plan of one run, whose losses can be explained."""
    plan = make_plan(
        policy=policy,
        mem=mem,
        warmup=warmup,
        seed=seed,
        seeds=1,
        problem="joining",
        model=model,
        opt=False,
        **with_join_defaults(joining),
    )
    if plan.order != "probe-first":
        raise InputError(
            "losses are explained for probe-first only, as the optimum is: leave --order out"
        )
    if len(plan.policies) > 1 or len(plan.memories) > 1 or plan.memories == (None,):
        raise InputError("one run is explained at a time: give one --policy and one --mem")
    return plan


def analyse(plan: Plan, trace, *, opt: bool = True, progress: Progress | None = None) -> Analysis:
    """Replay the one run of a plan, and compare what became of every tuple."""
    progress = progress or silent
    prepared = prepare(plan, trace, progress)
    (job,) = plan.jobs()
    join, parts = prepared.join, prepared.parts(job.mem, job.policy)
    progress(f"replaying {job.label}", 0, 1)
    task = JoinTask(
        join, job.params, parts, job.seed, prepared.model, prepared.curves, records=True
    )
    fates = fates_of_run(join, job.policy.joining(task))
    solution = best = None
    if opt and len(join.trace):
        solution = solve(join, [parts], progress=progress)
        best = fates_of_schedule(solution.schedule)
    progress("comparing", 0, 1)
    losses = find_losses(join, parts, fates, best)
    return Analysis(prepared, job, parts, fates, solution, best, losses)
