"""From the question what a budget costs to its answer, run by run."""

from dataclasses import replace
from functools import partial
from math import log1p

import numpy as np

from streamjoin_core.engine.chance import new_chance, wrapping_around
from streamjoin_core.engine.joining import JoinTask, slots_needed
from streamjoin_core.engine.work import NO_SAMPLE, Sample, new_work
from streamjoin_core.execute import effective_options, whole_join
from streamjoin_core.parameters import Parameters
from streamjoin_core.partitions.replaying import memory_parts
from streamjoin_core.policies.base import Policy
from streamjoin_core.policies.registry import parse_policy
from streamjoin_core.progress import Progress, silent
from streamjoin_core.report.measures import join_measures, share
from streamjoin_core.report.shed import ShedReport, ShedRun, summarise_shedding
from streamjoin_core.report.shed_measures import largest_burst, losses, noted_of, over_time, sheds
from streamjoin_core.shedding.base import Decision, ShedTask, Strategy
from streamjoin_core.shedding.budget import Budget
from streamjoin_core.shedding.question import Asked, Question, ask
from streamjoin_core.shedding.steady import duration
from streamjoin_core.shedding.subsets import most_results
from streamjoin_core.version import installed_version

# What a replay's options say that matters here, too.
_JOIN_OPTIONS = (
    *("problem", "mem", "window", "window_kind", "time_unit", "split", "order", "on", "band"),
    *("importance", "combine", "count_same_step", "warmup", "seed", "seeds", "model"),
)

_GAINED = (
    *("exact", "results", "recall", "same_step_results"),
    *("exact_importance", "importance", "importance_recall"),
)


def run_shedding(asked: Asked, trace, progress: Progress | None = None) -> ShedReport:
    """Check all options, read the trace, and replay it under each strategy and budget."""
    progress = progress or silent
    question = ask(asked, trace, progress)
    cases = list(question.cases())
    runs = []
    for done, case in enumerate(cases):
        progress(f"replaying {case[0].label(case[1])}", done, len(cases))
        runs.append(_run(question, *case))
    progress("replaying", len(cases), len(cases))
    trace = question.join.trace
    return ShedReport(
        sjoin=installed_version(),
        trace={"path": trace.origin, "rows": len(trace), "fingerprint": trace.fingerprint},
        options=_options(question, asked),
        runs=tuple(runs),
        summaries=summarise_shedding(runs),
    )


def _run(
    question: Question,
    strategy: Strategy,
    params: Parameters,
    budget: Budget,
    mem: int | None,
    seed: int,
) -> ShedRun:
    join, costs = question.join, question.costs
    find = partial(getattr, question, "steady")
    decision = strategy.decide(ShedTask(join, costs, budget, find, params, seed))
    length = duration(join.rows.time)
    rate, burst = budget.rate, budget.burst
    if decision.spends_at_once:
        rate, burst = 0.0, budget.over(length)
    policy, task = _memory_task(question, mem, seed)
    work = new_work(
        decision.wanted,
        update=costs.update,
        production=costs.production,
        rate=rate,
        burst=burst,
        sample=_sample(question, decision, task, seed),
    )
    with wrapping_around():
        facts = policy.joining(replace(task, work=work))
    noted = noted_of(join.rows.time, facts, work)
    measures = join_measures(facts, whole_join(join, question.plan.count_same_step))
    allowed = burst + rate * (length - 1)
    same_step = measures["same_step_results"] if question.plan.count_same_step else 0
    bound = most_results(join.unlimited.future, costs, allowed)[0] + same_step
    counted = join.rows.time[join.rules.first_counted :]
    return ShedRun(
        strategy=strategy.name,
        label=strategy.label(params),
        params=params.as_dict(),
        budget=budget.text,
        rate=rate,
        burst=burst,
        policy=None if mem is None else policy.label(task.params),
        mem=mem,
        seed=seed,
        **{name: measures[name] for name in _GAINED},
        predicted_rate=decision.predicted,
        measured_rate=(measures["results"] - same_step) / duration(counted),
        bound=bound,
        ratio_to_bound=share(measures["results"], bound),
        cost=float(work.spent.sum()),
        full_cost=question.full_cost,
        allowed=allowed,
        largest_burst=largest_burst(noted),
        **{name: measures[name] for name in ("evicted", "dropped", "expired")},
        sheds=sheds(noted),
        losses=losses(noted),
        chances=decision.chances,
        over_time=over_time(noted),
    )


def _memory_task(question: Question, mem: int | None, seed: int) -> tuple[Policy, JoinTask]:
    """The memory's policy and what it is asked; without a limit, all that is in window fits."""
    if mem is None:
        (policy, params), parts = parse_policy("fifo"), (question.most_in_window,)
    else:
        ((policy, params),) = question.plan.policies
        split = question.plan.split_of(policy)
        parts = memory_parts(split, question.join, question.curves, mem)
    entries = question.model.entries if question.model else None
    curves = question.curves
    return policy, JoinTask(question.join, params, parts, seed, entries, curves, records=True)


def _sample(question: Question, decision: Decision, task: JoinTask, seed: int) -> Sample:
    if decision.sampling is None:
        return NO_SAMPLE
    chance = decision.sampling.chance
    slots = slots_needed(task, ranks=False)
    return Sample(
        np.ascontiguousarray(decision.sampling.partners),
        log1p(-chance) if chance < 1 else -np.inf,
        decision.sampling.pays_per_result,
        *(np.zeros(size, np.int32) for size in (slots, slots, 2)),
        np.zeros(1),
        new_chance(seed),
    )


def _options(question: Question, asked: Asked) -> dict:
    plan, join = question.plan, question.join
    window = tuple(join.rules.window.tolist())
    options = effective_options(plan, join.trace, window, question.model)
    return {name: options[name] for name in _JOIN_OPTIONS} | {
        "policy": [policy.label(params) for policy, params in plan.policies if plan.memories[0]],
        "strategy": [strategy.label(params) for strategy, params in question.strategies],
        "budget": [budget.text for budget in question.budgets],
        "burst": asked.burst,
        "update_cost": question.costs.update,
        "production_cost": question.costs.production,
        "frequencies": question.steady.source,
        "learnt_rows": question.steady.first_row,
    }
