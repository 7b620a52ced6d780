"""Every policy in the registry passes every check; a new file is picked up by itself."""

import pytest

from streamjoin_core.checks import CACHING_CHECKS, JOINING_CHECKS
from streamjoin_core.policies.registry import all_policies, find_policy, policy_names

# Parameters under which a policy does more than by default.
PARAMETERS = {
    "ttl": {"left": 3, "right": 6},
    "jtl": {"n": 2},
    "ijoin": {"recompute": "adaptive", "tau": "0"},
    "lru-k": {"k": 3},
}

# No check is left out for any policy, but `ignores_key_names` has nothing to ask of those that go
# by the numbers that keys are (`needs` has "numbers").
CASES = [
    pytest.param(policy, problem, check, id=f"{policy.name}-{problem}-{check.__name__}")
    for policy in all_policies()
    for problem, checks in (("joining", JOINING_CHECKS), ("caching", CACHING_CHECKS))
    if getattr(policy, problem) is not None
    for check in checks
]


@pytest.mark.parametrize(("policy", "problem", "check"), CASES)
def test_policy(policy, problem, check):
    for given in ({}, PARAMETERS.get(policy.name, {})):
        check(policy, policy.parameters(**given))


def test_names_are_file_names_and_each_policy_answers_something():
    for name in policy_names():
        policy = find_policy(name)
        assert policy.name == name
        assert policy.joining or policy.caching
    assert find_policy("recent").name == "fifo"
    assert find_policy("size").name == "prob"
