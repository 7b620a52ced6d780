"""Checks of a policy on the caching problem."""

import numpy as np

from streamjoin_core.checks.cases import (
    MEMORIES,
    odd_traces,
    random_trace,
    references,
    with_other_future,
    with_other_names,
)
from streamjoin_core.engine.caching import CachingTask
from streamjoin_core.engine.facts import CachingFacts
from streamjoin_core.parameters import Parameters
from streamjoin_core.policies.base import Policy
from streamjoin_core.trace.trace import Trace


def check_caching(policy: Policy, params: Parameters | None = None) -> None:
    """Run every check."""
    for check in CACHING_CHECKS:
        check(policy, params or policy.parameters())


def balances_its_books(policy: Policy, params: Parameters) -> None:
    """Whoever missed entered; whoever entered left or is one of at most `mem` still there."""
    for mem in MEMORIES:
        trace = references(random_trace(1))
        facts = run(policy, params, trace, mem)
        entered = facts.references - facts.hits
        assert facts.references == len(trace), policy.name
        assert 0 <= entered - facts.evicted - facts.dropped <= mem, policy.name


def hits_all_repeats_with_enough_memory(policy: Policy, params: Parameters) -> None:
    trace = references(random_trace(2))
    facts = run(policy, params, trace, len(trace.key_values))
    assert facts.hits == len(trace) - len(trace.key_values), policy.name
    assert facts.evicted == facts.dropped == 0, policy.name


def repeats_itself(policy: Policy, params: Parameters) -> None:
    """The same task gives the same facts, and the trace is left as it was."""
    trace = references(random_trace(0))
    before = trace.key.copy()
    one, other = (run(policy, params, trace, 3, seed=7) for _ in range(2))
    assert one == other, policy.name
    assert np.array_equal(trace.key, before), f"{policy.name}: the trace was changed"


def knows_no_future(policy: Policy, params: Parameters) -> None:
    """Another future changes no hit of the past."""
    if policy.knows_future:
        return
    trace = references(random_trace(3))
    rows = len(trace) // 2
    other = with_other_future(trace, rows, 4)
    # Hits before `rows` are all hits but those after it.
    hits = [
        run(policy, params, one, 3).hits - run(policy, params, one, 3, first_counted=rows).hits
        for one in (trace, other)
    ]
    assert hits[0] == hits[1], f"{policy.name}: hits depend on the future"


def ignores_key_names(policy: Policy, params: Parameters) -> None:
    """Renaming keys changes nothing."""
    trace = references(random_trace(6))
    renamed = with_other_names(trace, 1)
    chances = np.bincount(trace.key) / len(trace)
    other_chances = np.bincount(renamed.key) / len(trace)
    one = run(policy, params, trace, 3, probabilities=chances)
    other = run(policy, params, renamed, 3, probabilities=other_chances)
    assert one == other, f"{policy.name}: key names matter"


def takes_odd_traces(policy: Policy, params: Parameters) -> None:
    """Traces at the edge are valid."""
    for name, trace in odd_traces():
        facts = run(policy, params, references(trace), 2)
        assert facts.hits <= facts.references, f"{policy.name}, {name}"


CACHING_CHECKS = (
    balances_its_books,
    hits_all_repeats_with_enough_memory,
    repeats_itself,
    knows_no_future,
    ignores_key_names,
    takes_odd_traces,
)


def run(
    policy: Policy,
    params: Parameters,
    trace: Trace,
    mem: int,
    *,
    seed: int = 0,
    first_counted: int = 0,
    probabilities: np.ndarray | None = None,
) -> CachingFacts:
    if probabilities is None:
        # Any will do for a policy that needs them: one per key, all different.
        probabilities = np.arange(len(trace.key_values)) / 100
    return policy.caching(CachingTask(trace, params, mem, seed, first_counted, probabilities))
