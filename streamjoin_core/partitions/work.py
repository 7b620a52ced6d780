"""The work on partitions: what all of them are asked, and what each one observed."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum

import numpy as np

from streamjoin_core.engine.facts import CachingFacts, JoinFacts, add_up, regrouped, spread
from streamjoin_core.errors import InputError
from streamjoin_core.models.fitted import ToFit, fitted_model
from streamjoin_core.models.given import GivenModel, given_model
from streamjoin_core.options import window_of_kind
from streamjoin_core.plan import Job, Plan
from streamjoin_core.trace.trace import Trace

NEVER = 2**63 - 1  # the time of the first step that counts, when none does
_CHUNK = 1 << 20


@dataclass(frozen=True, eq=False)
class Work:
    """A plan, and what the whole trace adds to it."""

    plan: Plan
    window: tuple[int, int] | None
    model: GivenModel | None
    first_counted_time: int | None  # earlier steps are warm-up; None for no warm-up

    @cached_property
    def jobs(self) -> tuple[Job, ...]:
        return tuple(self.plan.jobs())

    def first_counted_row(self, time: np.ndarray) -> int:
        """The first row of a partition that counts."""
        if self.first_counted_time is None:
            return 0
        return int(np.searchsorted(time, self.first_counted_time))


def make_work(plan: Plan, trace: Trace, first_counted_time: int | None) -> Work:
    """Check a plan against a trace; its labels, unit, kinds of columns and metadata will do."""
    for policy, params in plan.policies:
        if policy.check:
            policy.check(params, trace)
    if plan.problem == "caching":
        if len(trace.labels) > 1:
            raise InputError(
                f"{trace.origin} has two streams: caching takes one stream of references"
            )
        if trace.group is not None:
            raise InputError("caching has no groups: leave --group-by out")
    return Work(
        plan,
        window_of_kind(plan.window, plan.window_kind, trace.time_unit),
        _model(plan, trace),
        first_counted_time,
    )


def _model(plan: Plan, trace: Trace) -> GivenModel | None:
    if isinstance(plan.model, ToFit):
        return fitted_model(plan.model, trace, plan.problem)
    return given_model(plan.model, trace, plan.streams)


def first_counted_time(time: np.ndarray, warmup: int) -> int | None:
    """The time of the first step after so many; None for no warm-up."""
    if warmup == 0:
        return None
    row = first_counted_row(time, warmup)
    return int(time[row]) if row < len(time) else NEVER


def first_counted_row(time: np.ndarray, warmup: int) -> int:
    """The first row after so many steps, found piece by piece, since a trace may be long."""
    if warmup == 0:
        return 0
    for start in range(0, len(time) - 1, _CHUNK):
        chunk = time[start : start + _CHUNK + 1]
        starts_of_steps = np.flatnonzero(chunk[1:] != chunk[:-1])
        if warmup <= len(starts_of_steps):
            return start + int(starts_of_steps[warmup - 1]) + 1
        warmup -= len(starts_of_steps)
    return len(time)


@dataclass(frozen=True, eq=False)
class Gains:
    """What there was to gain; arrays are [group, (exact, same step)]."""

    pairs: np.ndarray
    importance: np.ndarray


@dataclass(frozen=True, eq=False)
class JobAnswer:
    """What one job observed on a partition, or on all of them."""

    facts: JoinFacts | CachingFacts
    parts: np.ndarray | None = None  # int64: memory of left and of right; None for one pool
    theory: float | None = None  # the recall that was to be expected
    ceilings: dict | None = None  # the offline optimum by objective, if asked for
    stays: dict | None = None  # measures of how tuples stayed, if asked for: of one partition only
    decisions: dict | None = None  # numbers of decisions, if asked for


@dataclass(frozen=True, eq=False)
class Answer:
    """What the replay of one partition observed: counters, and nothing that grows with rows."""

    number: int
    rows: int
    fingerprint: str
    group_labels: tuple
    jobs: tuple[JobAnswer, ...]
    gains: Gains | None  # None for caching
    age_curve: dict | None  # account of the age curves, if anything depends on them
    seconds: float


@dataclass(frozen=True, eq=False)
class Total:
    """What all partitions observed together."""

    group_labels: tuple
    jobs: tuple[JobAnswer, ...]
    gains: Gains | None
    age_curve: dict | None


def total(answers: list[Answer]) -> Total:
    """The answers of all partitions, in order of their numbers, added up."""
    labels = answers[0].group_labels
    if any(answer.group_labels != labels for answer in answers):
        labels = tuple(sorted({label for answer in answers for label in answer.group_labels}))
        answers = [_with_groups(answer, labels) for answer in answers]
    jobs = zip(*(answer.jobs for answer in answers), strict=True)
    return Total(
        labels,
        tuple(_added(of_all, answers) for of_all in jobs),
        add_up([answer.gains for answer in answers]),
        _age_curve([answer.age_curve for answer in answers]),
    )


def _added(of_all: tuple[JobAnswer, ...], answers: list[Answer]) -> JobAnswer:
    """One job's answers: counts add up, and what was expected is weighed by what there was."""
    expected = [
        (one.theory, int(answer.gains.pairs[:, 0].sum()))
        for one, answer in zip(of_all, answers, strict=True)
        if answer.gains is not None
    ]
    return replace(add_up(of_all), theory=_mean(expected))


def _mean(weighed: list[tuple[float | None, int]]) -> float | None:
    known = [entry for entry in weighed if entry[1] or len(weighed) == 1]
    if not known or any(value is None for value, _ in known):
        return None
    if len(known) == 1:
        return known[0][0]
    return fsum(value * weight for value, weight in known) / sum(weight for _, weight in known)


def _age_curve(accounts: list[dict | None]) -> dict | None:
    """The account of all partitions' curves, which each have a best age of their own."""
    if len(accounts) == 1 or accounts[0] is None:
        return accounts[0]
    rows = add_up([account["rows"] for account in accounts])
    granularity = max(account["granularity"] for account in accounts)
    return accounts[0] | {"rows": rows, "granularity": granularity, "best_age": [None, None]}


def _with_groups(answer: Answer, labels: tuple) -> Answer:
    """The answer of a partition whose groups are among these."""
    if not answer.group_labels:  # a partition without rows
        places = np.empty(0, int)
        facts, gains = [_none(job.facts) for job in answer.jobs], _none(answer.gains)
    else:
        places = np.searchsorted(np.array(labels, object), np.array(answer.group_labels, object))
        facts, gains = [job.facts for job in answer.jobs], answer.gains
    number = len(labels)
    return replace(
        answer,
        group_labels=labels,
        jobs=tuple(
            replace(job, facts=regrouped(one, places, number))
            for job, one in zip(answer.jobs, facts, strict=True)
        ),
        gains=Gains(spread(gains.pairs, places, number), spread(gains.importance, places, number)),
    )


def _none(facts):
    """Facts of no group at all, of those that have all their nothing in one."""
    arrays = {name: value for name, value in vars(facts).items() if isinstance(value, np.ndarray)}
    return replace(facts, **{name: array[:0] for name, array in arrays.items()})
