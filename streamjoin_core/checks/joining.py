"""Checks of a policy on the joining problem."""

from dataclasses import fields

import numpy as np

from streamjoin_core.checks.cases import (
    MEMORIES,
    fixed_curves,
    join_of,
    joins,
    odd_traces,
    random_trace,
    with_other_future,
    with_other_names,
)
from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import Join, JoinTask
from streamjoin_core.engine.unlimited import EXACT
from streamjoin_core.optimal import solve
from streamjoin_core.parameters import Parameters
from streamjoin_core.policies.base import Policy

SIZES = [*((mem,) for mem in MEMORIES), (1, 3), (4, 0)]


def check_joining(policy: Policy, params: Parameters | None = None) -> None:
    """Run every check."""
    for check in JOINING_CHECKS:
        check(policy, params or policy.parameters())


def stays_within_memory(policy: Policy, params: Parameters) -> None:
    """After each step, every part of the memory holds at most its size."""
    for name, join in joins(policy):
        for parts in SIZES:
            facts = run(policy, params, join, parts)
            if facts.ways is None:
                return  # `exact` has no memory to exceed
            for part, size in enumerate(parts):
                is_member = True if len(parts) == 1 else join.rows.stream == part
                held = largest_held(join, facts, is_member)
                assert held <= size, f"{policy.name}, {name}: {held} tuples in a part of {size}"


def balances_its_books(policy: Policy, params: Parameters) -> None:
    """Results and losses add up to the whole join, and tuples to the whole trace."""
    for name, join in joins(policy):
        facts = run(policy, params, join, (3,))
        lost = facts.lost_never_admitted + facts.lost_evicted + facts.lost_expired
        assert facts.results.sum() + lost == join.unlimited.pairs[EXACT], f"{policy.name}, {name}"
        left = facts.evicted + facts.dropped + facts.expired
        assert left == facts.lives[:, 0].sum(), f"{policy.name}, {name}"
        assert left <= len(join.trace), f"{policy.name}, {name}"


def stays_below_the_optimum(policy: Policy, params: Parameters) -> None:
    """No policy gives more results than the best schedule with the same memory."""
    if policy.ignores_memory:
        return
    for name, join in joins(policy):
        if not join.rules.evict_first:
            for parts in SIZES:
                results = run(policy, params, join, parts).results.sum()
                most = solve(join, [parts]).optimum(parts).lower
                assert results <= most, f"{policy.name}, {name}, memory {parts}"


def loses_nothing_with_enough_memory(policy: Policy, params: Parameters) -> None:
    """With room for every tuple in window, only the policy's own expiry may lose results."""
    for name, join in joins(policy):
        facts = run(policy, params, join, (len(join.trace),))
        assert facts.evicted == facts.dropped == 0, f"{policy.name}, {name}"
        assert facts.lost_evicted == facts.lost_never_admitted == 0, f"{policy.name}, {name}"


def repeats_itself(policy: Policy, params: Parameters) -> None:
    """The same task gives the same facts, and the trace is left as it was."""
    for name, join in joins(policy, range(1)):
        before = [array.copy() for array in join.rows]
        one, other = (run(policy, params, join, (3,), seed=7) for _ in range(2))
        assert same(one, other), f"{policy.name}, {name}"
        for array, copy in zip(join.rows, before, strict=True):
            assert np.array_equal(array, copy), f"{policy.name}, {name}: the trace was changed"


def knows_no_future(policy: Policy, params: Parameters) -> None:
    """Another future changes no decision of the past."""
    if policy.knows_future:
        return
    trace = random_trace(3)
    rows = np.searchsorted(trace.time, trace.time[len(trace) // 2], "right")
    for parts in ((3,), (2, 2)):
        facts = [
            run(policy, params, join_of(one), parts)
            for one in (trace, with_other_future(trace, rows, 4))
        ]
        if facts[0].ways is None:
            return
        now = trace.time[rows - 1]
        pasts = [
            np.where(one.leaving[:rows] <= now, one.leaving[:rows] * 8 + one.ways[:rows], -1)
            for one in facts
        ]
        assert np.array_equal(*pasts), f"{policy.name}: decisions depend on the future"


def ignores_key_names(policy: Policy, params: Parameters) -> None:
    """Under equality, renaming keys changes nothing, unless keys are needed as numbers."""
    if "numbers" in policy.needs:
        return
    trace = random_trace(6)
    for parts in ((3,), (2, 2)):
        joined = [join_of(one) for one in (trace, with_other_names(trace, 1))]
        one, other = (run(policy, params, join, parts) for join in joined)
        assert same(one, other), f"{policy.name}: key names matter"


def takes_odd_traces(policy: Policy, params: Parameters) -> None:
    """Traces at the edge are valid."""
    for name, trace in odd_traces():
        facts = run(policy, params, join_of(trace), (2,))
        assert facts.results.sum() >= 0, f"{policy.name}, {name}"


JOINING_CHECKS = (
    stays_within_memory,
    balances_its_books,
    stays_below_the_optimum,
    loses_nothing_with_enough_memory,
    repeats_itself,
    knows_no_future,
    ignores_key_names,
    takes_odd_traces,
)


def run(
    policy: Policy, params: Parameters, join: Join, parts: tuple[int, ...], seed: int = 0
) -> JoinFacts:
    curves = fixed_curves(join) if "age-curve" in policy.needs else None
    return policy.joining(JoinTask(join, params, parts, seed, curves=curves, records=True))


def largest_held(join: Join, facts: JoinFacts, is_member) -> int:
    """The largest number of members that memory held after a step, from when each one left."""
    time = join.rows.time
    stays = np.where(facts.ways == 0, np.iinfo(np.int64).max, facts.leaving)
    # Who leaves at a step is gone after it.
    return max(
        (int((is_member & (time <= now) & (stays > now)).sum()) for now in np.unique(time)),
        default=0,
    )


def same(one: JoinFacts, other: JoinFacts) -> bool:
    return all(
        np.array_equal(getattr(one, entry.name), getattr(other, entry.name))
        for entry in fields(one)
    )
