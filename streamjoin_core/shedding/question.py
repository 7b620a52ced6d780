"""The question what a budget costs, with all its options checked."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from streamjoin_core.age.curve import AgeCurve
from streamjoin_core.age.given import find_curves
from streamjoin_core.engine.joining import Join
from streamjoin_core.errors import InputError
from streamjoin_core.models.fitted import AUTO
from streamjoin_core.models.given import GivenModel, given_model
from streamjoin_core.options import parse_share, window_of_kind
from streamjoin_core.parameters import Parameters
from streamjoin_core.partitions.replaying import check_model, join_of_plan
from streamjoin_core.plan import Plan, make_plan
from streamjoin_core.policies.registry import split_policies
from streamjoin_core.progress import Progress
from streamjoin_core.shedding.base import Strategy
from streamjoin_core.shedding.budget import Budget, Wanted, parse_budget
from streamjoin_core.shedding.costs import Costs, read_costs
from streamjoin_core.shedding.registry import parse_strategy, strategy_names
from streamjoin_core.shedding.steady import Steady, duration, find_steady
from streamjoin_core.trace.given import as_trace
from streamjoin_core.trace.units import parse_duration

# Their tuples count their own results, which those of a sample need for themselves.
_COUNT_MATCHES = ("ijoin", "jtl")


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
    curves: tuple[AgeCurve, AgeCurve] | None  # for a memory that goes by age
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
        """Strategy, parameters, budget, memory and seed of each run, in the order of the report."""
        draws = any(policy.is_random for policy, _ in self.plan.policies)
        for strategy, params in self.strategies:
            for budget in self.budgets:
                for mem in self.plan.memories:
                    for offset in range(self.plan.seeds if draws or strategy.is_random else 1):
                        yield strategy, params, budget, mem, self.plan.seed + offset


def ask(asked: Asked, trace, progress: Progress) -> Question:
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
    window = window_of_kind(plan.window, plan.window_kind, trace.time_unit)
    join = join_of_plan(plan, trace, window)
    model = None if learns else given_model(plan.model, trace, 2)
    check_model(plan, model)
    curves = find_curves(plan.age_curve, join) if plan.needs_curves else None
    made = [_budget(budget, asked.burst, join, costs) for budget in budgets]
    return Question(plan, costs, join, strategies, made, model, curves, prefix)


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
        if policy.name in _COUNT_MATCHES and draws:
            raise InputError(
                f"uniform and {policy.name} both count a tuple's results: take another --policy"
            )
    if is_limited and len(plan.policies) > 1:
        raise InputError("the memory has one policy: give --policy once")


def _full_cost(join: Join, costs: Costs) -> float:
    whole = join
    if join.rules.first_counted:
        whole = replace(join, rules=join.rules._replace(first_counted=0))
    return costs.total(len(join.trace), int(whole.unlimited.groups[:, 0].sum()))


def _budget(wanted: Wanted, burst: str | int | None, join: Join, costs: Costs) -> Budget:
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
