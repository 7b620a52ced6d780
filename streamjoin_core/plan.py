"""The plan of a replay: all options checked against each other before any work is done."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from streamjoin_core.age.given import CurveSource, parse_source
from streamjoin_core.engine.condition import COMPARISONS
from streamjoin_core.engine.rules import COMBINATIONS
from streamjoin_core.errors import InputError
from streamjoin_core.models.fitted import ToFit, read_auto
from streamjoin_core.models.given import read_model
from streamjoin_core.options import (
    OBJECTIVES,
    PROBLEMS,
    WINDOW_KINDS,
    Split,
    one_of,
    parse_band,
    parse_memories,
    parse_split,
    refuse_join_options,
    whole_number,
)
from streamjoin_core.parameters import Parameters
from streamjoin_core.policies.base import Policy
from streamjoin_core.policies.registry import all_policies, parse_policy, split_policies

_DEFAULT_SPLIT = "shared"
_MOST_PARTITIONS = 1_000_000
ORDERS = ("probe-first", "evict-first")
_NO_FLOW = "under evict-first a pair needs two cached tuples at once, so it is no flow problem"


@dataclass(frozen=True)
class Job:
    """One run of one policy."""

    policy: Policy
    params: Parameters
    mem: int | None  # None: as much as there are rows
    seed: int

    @property
    def label(self) -> str:
        return self.policy.label(self.params)


@dataclass(frozen=True)
class Plan:
    """What `replay` was asked, checked as far as that goes without the trace."""

    problem: str
    policies: tuple[tuple[Policy, Parameters], ...]
    memories: tuple[int | None, ...]
    window: str | int | tuple | list | None  # its unit is the trace's
    window_kind: str
    split: Split
    is_split_given: bool  # otherwise a policy that is made for another one has its own
    order: str
    on: str
    band: tuple[int | float, int | float] | None
    combine: str
    warmup: int
    seed: int
    seeds: int
    model: dict | ToFit | None  # as given by the user
    count_same_step: bool
    age_curve: CurveSource
    opt: bool  # whether to compare each run with the offline optimum
    dominance: bool  # whether to count the decisions that were provably optimal
    objective: str  # in what: results, importance or both
    fairness: bool  # whether to tell how tuples stayed
    partitions: int | None = None  # into how many the trace is cut by key; None for not at all
    balance: bool = False  # whether heavy keys are placed so that partitions weigh the same

    @property
    def streams(self) -> int:
        """How many streams the problem has."""
        return 1 if self.problem == "caching" else 2

    @property
    def needs_curves(self) -> bool:
        """Whether anything depends on age curves."""
        return self.split.is_auto or any("age-curve" in policy.needs for policy, _ in self.policies)

    def split_of(self, policy: Policy) -> Split:
        """How the memory is divided for a policy."""
        return self.split if self.is_split_given else parse_split(policy.split)

    @property
    def splits(self) -> str:
        """How the memory is divided, and for whom it is divided in another way."""
        texts = {policy.name: self.split_of(policy).text for policy, _ in self.policies}
        if len(set(texts.values())) == 1:
            return next(iter(texts.values()))
        others = [f"{text} for {name}" for name, text in texts.items() if text != self.split.text]
        return f"{self.split.text} ({', '.join(others)})"

    def joining_options(self) -> dict:
        """The options of the joining problem by their names, as `make_plan` takes them."""
        names = ("window", "window_kind", "order", "on", "band", "combine", "count_same_step")
        return {name: getattr(self, name) for name in names} | {
            "split": self.split.text if self.is_split_given else None
        }

    @property
    def parts(self) -> int:
        """How many partitions there are, the whole trace being one."""
        return self.partitions or 1

    def jobs(self) -> Iterator[Job]:
        """All runs, in the order of the report; without chance one seed is as good as many."""
        for policy, params in self.policies:
            for mem in self.memories:
                for offset in range(self.seeds if policy.is_random else 1):
                    yield Job(policy, params, mem, self.seed + offset)


def make_plan(
    *,
    policy: str | list[str] | tuple[str, ...],
    mem: int | str | list | tuple | range | None,
    problem: str,
    warmup: int,
    seed: int,
    seeds: int,
    model: dict | str | os.PathLike | None,
    opt: bool,
    fit_prefix: str | float | None = None,
    life: str | None = None,
    alpha: str | float | None = None,
    lookahead: int | None = None,
    dominance: bool = False,
    age_curve: str | os.PathLike | dict = "learn",
    objective: str = "results",
    fairness: bool = False,
    partitions: int | None = None,
    balance: bool = False,
    **joining,
) -> Plan:
    """Check the options of `replay`; `joining` are those that only the joining problem has."""
    one_of("problem", problem, PROBLEMS)
    if problem == "caching":
        refuse_join_options(joining | {"age_curve": age_curve})
        if fairness:
            raise InputError("what fairness is made of is told for joining only: leave it out")
    policies = _policies(policy, life=life, alpha=alpha, lookahead=lookahead)
    for chosen, _ in policies:
        _check_suits(chosen, problem, mem, joining)
    if opt and (problem == "caching" or joining["order"] != "probe-first"):
        raise InputError(
            f"the offline optimum is for joining, probe-first: {_NO_FLOW}; for caching replay "
            "policy lfd beside the others"
        )
    if dominance and (problem == "caching" or joining["order"] != "probe-first"):
        raise InputError(
            "optimal decisions are counted for joining, probe-first: leave --dominance out"
        )
    if joining["band"] is not None and joining["on"] != "=":
        raise InputError("a join has one condition: leave out either --on or --band")
    seeds = whole_number("number of seeds", seeds, least=1, most=1_000_000)
    memories = (None,) if mem is None else parse_memories(mem)
    return Plan(
        problem=problem,
        policies=policies,
        memories=memories,
        window=joining["window"],
        window_kind=one_of("window kind", joining["window_kind"], WINDOW_KINDS),
        split=parse_split(joining["split"] or _DEFAULT_SPLIT),
        is_split_given=joining["split"] is not None,
        order=one_of("order", joining["order"], ORDERS),
        on=one_of("join condition", joining["on"], COMPARISONS),
        band=parse_band(joining["band"]),
        combine=one_of("combination", joining["combine"], COMBINATIONS),
        warmup=whole_number("warm-up", warmup, least=0),
        seed=whole_number("seed", seed, least=0, most=2**63 - seeds),
        seeds=seeds,
        model=read_auto(model, fit_prefix) or read_model(model),
        count_same_step=bool(joining["count_same_step"]),
        age_curve=parse_source(age_curve),
        opt=bool(opt),
        dominance=bool(dominance),
        objective=one_of("objective", objective, (*OBJECTIVES, "both")),
        fairness=bool(fairness),
        partitions=check_partitions(partitions, memories, joining, fairness),
        balance=_checked_balance(balance, partitions),
    )


def check_partitions(
    partitions: int | None, memories: tuple, joining: dict, fairness: bool
) -> int | None:
    """The number of partitions, refused where the join does not separate by key."""
    if partitions is None:
        return None
    partitions = whole_number("number of partitions", partitions, least=1, most=_MOST_PARTITIONS)
    if partitions == 1:
        return 1
    way_out = "leave --partitions out, or give 1"
    if joining["band"] is not None or joining["on"] != "=":
        raise InputError(
            f"only joins on equal keys separate by key, not bands and inequalities: {way_out}"
        )
    if joining["window_kind"] == "tuples":
        raise InputError(
            "a window of tuples counts a whole stream's arrivals, of which a partition sees only "
            f"its own: give a window of time, or {way_out}"
        )
    if fairness:
        raise InputError(f"how tuples stayed is told of one partition only: {way_out}")
    too_small = next((mem for mem in memories if mem is not None and mem < partitions), None)
    if too_small is not None:
        raise InputError(
            f"memory {too_small} is too small for {partitions} partitions, which get a share each: "
            "give at least one tuple per partition"
        )
    return partitions


def _checked_balance(balance: bool, partitions: int | None) -> bool:
    if balance and partitions is None:
        raise InputError("there is nothing to balance: give --partitions")
    return bool(balance)


def _policies(given: str | list | tuple, **shared) -> tuple[tuple[Policy, Parameters], ...]:
    """Policies with their parameters, each once; `shared` are options that are parameters."""
    texts = [given] if isinstance(given, str) else given
    if not texts or not all(isinstance(text, str) for text in texts):
        raise InputError("no policy is named: give --policy one or more, such as fifo,prob")
    shared = {name: str(value) for name, value in shared.items() if value is not None}
    parsed = [parse_policy(text, shared) for listed in texts for text in split_policies(listed)]
    for name in shared:
        if not any(hasattr(params, name) for _, params in parsed):
            able = "flowexpect" if name == "lookahead" else "heeb"
            raise InputError(f"no policy that is named has --{name}: leave it out, or name {able}")
    return tuple({policy.label(params): (policy, params) for policy, params in parsed}.values())


def _check_suits(policy: Policy, problem: str, mem, joining: dict) -> None:
    """Refuse a policy that has no answer to the problem, or lacks what it needs."""
    if getattr(policy, problem) is None:
        able = ", ".join(other.name for other in all_policies() if getattr(other, problem))
        raise InputError(f"policy {policy.name!r} is not for {problem}: choose among {able}")
    if mem is None and policy.needs_memory:
        raise InputError(f"policy {policy.name!r} needs a memory: give --mem")
    if joining["order"] != "probe-first" and "probe-first" in policy.needs:
        raise InputError(f"policy {policy.name!r} is for --order probe-first only: {_NO_FLOW}")
    if joining["window"] is None and "window" in policy.needs:
        raise InputError(f"policy {policy.name!r} needs a window: give --window")
