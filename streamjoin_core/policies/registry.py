"""From a policy's name to the policy: every file of this folder that has a POLICY is one.

Names are known without importing anything, and only the policies asked for are loaded.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from streamjoin_core.errors import InputError
from streamjoin_core.named_files import file_of, load_file, names_in
from streamjoin_core.parameters import Parameters, parse_named
from streamjoin_core.policies.base import Policy

_NOTHING = MappingProxyType({})
_NOT_POLICIES = ("base", "registry")


@cache
def policy_names() -> tuple[str, ...]:
    """Names of all policies, sorted."""
    return names_in([str(Path(__file__).parent)], _NOT_POLICIES)


@cache
def find_policy(name: str) -> Policy:
    """The policy of this name or alias, or of a file such as ./mine.py that ends with POLICY."""
    if name.endswith(".py"):
        return _policy_of_file(name)
    if name in policy_names():
        return file_of(__package__, name).POLICY
    for policy in all_policies():
        if name in policy.aliases:
            return policy
    raise InputError(f"there is no policy {name!r}: choose among {', '.join(policy_names())}")


def _policy_of_file(path: str) -> Policy:
    policy = getattr(load_file(path), "POLICY", None)
    if not isinstance(policy, Policy):
        raise InputError(f"{path} has no policy: end it with POLICY = Policy(...)")
    if policy.name in policy_names():
        raise InputError(f"{path} calls its policy {policy.name!r}, as another one is: rename it")
    return policy


def all_policies() -> list[Policy]:
    return [find_policy(name) for name in policy_names()]


def parse_policy(text: str, shared: Mapping[str, object] = _NOTHING) -> tuple[Policy, Parameters]:
    """A policy with its parameters from `name` or `name:key=value,key=value`.

    `shared` has values for all policies that have such a parameter and do not say otherwise.
    """
    return parse_named("policy", text, find_policy, shared)


def split_policies(text: str) -> list[str]:
    """The policies of a list such as `fifo,ttl:left=2,right=3,prob`.

    A comma also separates parameters, so a piece whose `=` comes before any `:` goes with the
    policy before.

    >>> split_policies("fifo,ttl:left=2,right=3,prob")
    ['fifo', 'ttl:left=2,right=3', 'prob']
    """
    policies: list[str] = []
    for piece in text.split(","):
        if policies and "=" in piece.partition(":")[0]:
            policies[-1] += "," + piece
        else:
            policies.append(piece)
    return policies
