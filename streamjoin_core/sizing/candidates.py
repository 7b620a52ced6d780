"""The policies that a question about memory is asked of."""

import os
from dataclasses import replace

from streamjoin_core.errors import InputError
from streamjoin_core.options import with_join_defaults
from streamjoin_core.plan import Plan, make_plan
from streamjoin_core.policies.registry import all_policies
from streamjoin_core.trace.trace import Trace


def plan_for(
    policy: str | list[str] | tuple[str, ...] | None,
    *,
    mem=1,
    problem: str = "joining",
    warmup: int = 0,
    seed: int = 0,
    seeds: int = 1,
    model: dict | str | os.PathLike | None = None,
    **joining,
) -> tuple[Plan, dict[str, str]]:
    """A plan with the policies given, or with all that suit; and why others do not, by name."""
    joining = with_join_defaults(joining)
    skipped = {}
    if not policy:
        policy, skipped = _suitable(problem, joining)
    plan = make_plan(
        policy=policy,
        mem=mem,
        problem=problem,
        warmup=warmup,
        seed=seed,
        seeds=seeds,
        model=model,
        opt=False,
        **joining,
    )
    for chosen, _ in plan.policies:
        if chosen.knows_future or chosen.ignores_memory:
            raise InputError(
                f"policy {chosen.name!r} is a bound that is shown anyway: name others, or none for "
                "all"
            )
    return plan, skipped


def without_unsuited(plan: Plan, trace: Trace, skipped: dict[str, str]) -> Plan:
    """The plan without the policies that refuse the trace, which are noted as skipped."""
    suited = []
    for policy, params in plan.policies:
        try:
            if policy.check:
                policy.check(params, trace)
            suited.append((policy, params))
        except InputError as refusal:
            skipped[policy.name] = f"refuses: {refusal}"
    return replace(plan, policies=tuple(suited))


def _suitable(problem: str, joining: dict) -> tuple[list[str], dict[str, str]]:
    """All policies that compete for memory, less those that lack what they need."""
    suitable, skipped = [], {}
    for policy in all_policies():
        competes = policy.needs_memory and not policy.knows_future and not policy.ignores_memory
        if getattr(policy, problem) is None or not competes:
            continue
        if "window" in policy.needs and joining["window"] is None:
            skipped[policy.name] = "needs a window"
        elif "model" in policy.needs:
            skipped[policy.name] = "needs a model: name it to try"
        elif "probe-first" in policy.needs and joining["order"] != "probe-first":
            skipped[policy.name] = "is for probe-first"
        else:
            suitable.append(policy.name)
    return suitable, skipped
