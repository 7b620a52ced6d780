"""From the question what a budget costs to its answer, run by run."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import log1p

import numpy as np

from streamjoin_core.engine.chance import new_chance, wrapping_around
from streamjoin_core.engine.joining import Join, JoinTask, prepare_join, slots_needed
from streamjoin_core.engine.work import NO_SAMPLE, Sample, new_work
from streamjoin_core.errors import InputError
from streamjoin_core.execute import effective_options, first_counted_row, whole_join
from streamjoin_core.models.fitted import AUTO
from streamjoin_core.models.given import GivenModel, given_model
from streamjoin_core.options import parse_share, window_of_kind
from streamjoin_core.parameters import Parameters
from streamjoin_core.plan import Plan, make_plan
from streamjoin_core.policies.base import Policy
from streamjoin_core.policies.registry import parse_policy, split_policies
from streamjoin_core.progress import Progress, silent
from streamjoin_core.report.measures import join_measures, share
from streamjoin_core.report.shed import ShedReport, ShedRun, summarise_shedding
from streamjoin_core.report.shed_measures import largest_burst, losses, noted_of, over_time, sheds
from streamjoin_core.shedding.base import Decision, ShedTask, Strategy
from streamjoin_core.shedding.budget import Budget, parse_budget
from streamjoin_core.shedding.costs import Costs, read_costs
from streamjoin_core.shedding.registry import parse_strategy, strategy_names
from streamjoin_core.shedding.steady import Steady, duration, find_steady
from streamjoin_core.shedding.subsets import most_results
from streamjoin_core.trace.given import as_trace
from streamjoin_core.trace.units import parse_duration
from streamjoin_core.version import installed_version

# Each tuple's own number of results to give, which sampling needs for itself.
_COUNTS_MATCHES = "jtl"


@dataclass(frozen=True)
class Asked:
    """The options of `shed`, as they were given."""

    budgets: object
    strategies: object
    costs: object
    burst: str | int | None
    fit_prefix: object
    mem: object
    policy: str
    model: object
    seed: int
    seeds: int
    joining: dict
    warmup: int


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of a trace, with all options checked."""

    plan: Plan
    costs: Costs
    join: Join
    strategies: list[tuple[Strategy, Parameters]]
    budgets: list[Budget]
    model: GivenModel | None
    fit_prefix: float

    @cached_property
    def steady(self) -> Steady:
        return find_steady(self.join, self.model, self.fit_prefix)

    @cached_property
    def most_in_window(self) -> int:
        """Memory that loses nothing."""
        rows, rules = self.join.rows, self.join.rules
        if rules.by_tuples:
            return int(min(rules.window.sum() + self.join.most_arrivals, len(rows.time)))
        most = 1
        for stream in range(2):
            times = rows.time[rows.stream == stream]
            oldest = np.searchsorted(times, times - rules.window[stream])
            most += int((np.arange(1, len(times) + 1) - oldest).max(initial=0))
        return min(most, max(1, len(rows.time)))

    @cached_property
    def full_cost(self) -> float:
        """What the join costs without shedding, warm-up included."""
        return _full_cost(self.join, self.costs)

    def cases(self) -> Iterator[tuple]:
        for strategy, params in self.strategies:
            for budget in self.budgets:
                for mem in self.plan.memories:
                    for offset in range(self.plan.seeds if strategy.is_random else 1):
                        yield strategy, params, budget, mem, self.plan.seed + offset


def run_shedding(asked: Asked, trace, progress: Progress | None = None) -> ShedReport:
    """Check all options, read the trace, and replay it under each strategy and budget."""
    progress = progress or silent
    question = _ask(asked, trace, progress)
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


def _ask(asked: Asked, trace, progress: Progress) -> Question:
    costs = read_costs(asked.costs)
    listed = asked.budgets if isinstance(asked.budgets, list | tuple) else [asked.budgets]
    budgets = [parse_budget(budget) for budget in listed]
    strategies = _strategies(asked.strategies)
    _check_join(asked.joining)
    prefix = parse_share("fit-prefix", asked.fit_prefix)
    learns = str(asked.model) == AUTO  # whatever the trace itself may tell
    plan = make_plan(
        policy="exact" if asked.mem is None else asked.policy,
        mem=asked.mem,
        problem="joining",
        warmup=asked.warmup,
        seed=asked.seed,
        seeds=asked.seeds,
        model=None if learns else asked.model,
        opt=False,
        **asked.joining,
    )
    _check_policies(plan, asked.mem is not None, strategies)
    trace = as_trace(trace, "joining", progress)
    for policy, params in plan.policies:
        if policy.check:
            policy.check(params, trace)
    join = prepare_join(
        trace,
        window=window_of_kind(plan.window, plan.window_kind, trace.time_unit),
        by_tuples=plan.window_kind == "tuples",
        evict_first=False,
        on="=",
        band=None,
        combination=plan.combine,
        first_counted=first_counted_row(trace.time, plan.warmup),
    )
    model = None if learns else given_model(plan.model, trace, 2)
    made = [_budget(budget, asked.burst, join, costs) for budget in budgets]
    return Question(plan, costs, join, strategies, made, model, prefix)


def _strategies(given) -> list[tuple[Strategy, Parameters]]:
    """Strategies with their parameters, each once."""
    texts = [given] if isinstance(given, str) else given
    if not texts or not all(isinstance(text, str) for text in texts):
        known = ", ".join(strategy_names())
        raise InputError(f"no strategy is named: give --strategy one or more of {known}")
    parsed = [parse_strategy(text) for listed in texts for text in split_policies(listed)]
    return list({one.label(params): (one, params) for one, params in parsed}.values())


def _check_join(joining: dict) -> None:
    if joining["window"] is None:
        raise InputError("shedding needs a window, since the costs follow from it: give --window")
    if joining["on"] != "=" or joining["band"] is not None:
        raise InputError("shedding is for joins on equal keys: leave --on and --band out")
    if joining["order"] != "probe-first":
        raise InputError("shedding is for --order probe-first: leave --order out")


def _check_policies(plan: Plan, is_limited: bool, strategies: list) -> None:
    draws = any(strategy.name == "uniform" for strategy, _ in strategies)
    for policy, _ in plan.policies if is_limited else ():
        if policy.ignores_memory or policy.knows_future:
            raise InputError(
                f"policy {policy.name!r} does not manage a memory that is fed under a budget: give "
                "--policy another one such as fifo or prob, or leave --mem out"
            )
        if policy.name == _COUNTS_MATCHES and draws:
            raise InputError("uniform and jtl both count a tuple's results: take another --policy")
    if is_limited and len(plan.policies) > 1:
        raise InputError("the memory has one policy: give --policy once")


def _full_cost(join: Join, costs: Costs) -> float:
    whole = join
    if join.rules.first_counted:
        whole = replace(join, rules=join.rules._replace(first_counted=0))
    return costs.total(len(join.trace), int(whole.unlimited.groups[:, 0].sum()))


def _budget(wanted, burst: str | int | None, join: Join, costs: Costs) -> Budget:
    length = duration(join.rows.time)
    unit = join.trace.time_unit
    rate = wanted.rate(_full_cost(join, costs) / length, unit)
    if burst is not None:
        time = parse_duration(burst, unit)
    elif join.rules.by_tuples:
        arrivals = np.maximum(np.bincount(join.rows.stream, minlength=2), 1)
        time = float((join.rules.window * length / arrivals).max())
    else:
        time = int(join.rules.window.max())
    most = rate * min(max(time, 1), length)
    if len(join.trace) and most < max(costs.update, costs.production):
        raise InputError(
            f"budget {wanted.text} lets {most:g} be spent at once, too little for a tuple or "
            "a result: give a larger --budget or --burst"
        )
    return Budget(wanted.text, wanted.amount if wanted.per is None else None, rate, most)


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
        **{name: measures[name] for name in ("exact", "results", "recall", "same_step_results")},
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
        parts = question.plan.split.parts(mem)
    entries = question.model.entries if question.model else None
    return policy, JoinTask(question.join, params, parts, seed, entries, records=True)


def _sample(question: Question, decision: Decision, task: JoinTask, seed: int) -> Sample:
    if decision.sampling is None:
        return NO_SAMPLE
    chance = decision.sampling.chance
    slots = slots_needed(task, ranks=False)
    return Sample(
        np.ascontiguousarray(question.steady.meetings),
        log1p(-chance) if chance < 1 else -np.inf,
        decision.sampling.pays_per_result,
        *(np.zeros(size, np.int32) for size in (slots, slots, 2)),
        new_chance(seed),
    )


def _options(question: Question, asked: Asked) -> dict:
    plan, join = question.plan, question.join
    window = tuple(join.rules.window.tolist())
    options = effective_options(plan, join.trace, window, question.model)
    del options["opt"], options["policy"]
    return options | {
        "policy": [policy.label(params) for policy, params in plan.policies if plan.memories[0]],
        "strategy": [strategy.label(params) for strategy, params in question.strategies],
        "budget": [budget.text for budget in question.budgets],
        "burst": asked.burst,
        "update_cost": question.costs.update,
        "production_cost": question.costs.production,
        "frequencies": question.steady.source,
        "learnt_rows": question.steady.first_row,
    }
