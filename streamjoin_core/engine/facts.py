"""What a replay observed: raw counts, of which the report makes measures."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Lifetimes:
    """Those whose fate is known: their number, and sums over leaving time - entering time."""

    number: int = 0
    total: float = 0.0
    squares: float = 0.0


@dataclass(frozen=True)
class CachingFacts:
    references: int  # after warm-up
    hits: int  # after warm-up
    evicted: int  # others thrown out
    dropped: int  # bypassed: the new object itself was the one to go
    lifetimes: Lifetimes


@dataclass(frozen=True)
class JoinFacts:
    """Counts of one run of the joining problem; arrays are per group (one when there are none)."""

    results: np.ndarray  # pairs produced
    importance: np.ndarray | None  # their total importance; None where every tuple weighs the same
    lives: np.ndarray  # [group, 3]: number, total and squares of known lifetimes
    evicted: int
    dropped: int
    expired: int  # with those that the policy's own time-to-live or join-to-live sent away
    lost_never_admitted: int
    lost_evicted: int
    lost_expired: int
    left_share_total: float  # the left stream's share of the used memory, summed over steps
    steps_with_tuples: int
    recomputations: int | None = None  # of scores, by policies that do so from time to time
    ways: np.ndarray | None = None  # per row, how it left (engine.loop); only if asked for
    leaving: np.ndarray | None = None  # per row, the time at which it left; only if asked for
    rival: np.ndarray | None = None  # per row, the row that stayed in its place, or -1; likewise


def add_up(parts: Sequence):
    """The facts of several partitions as those of the whole: counts add up, None adds nothing."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    first = known[0]
    if is_dataclass(first):
        names = [entry.name for entry in fields(first)]
        return replace(first, **{name: add_up([getattr(p, name) for p in known]) for name in names})
    if isinstance(first, dict):
        return {name: add_up([part.get(name) for part in known]) for name in first}
    return sum(known[1:], first)


def regrouped(facts: JoinFacts, places: np.ndarray, number: int) -> JoinFacts:
    """Facts whose groups stand at these places among so many groups."""
    return replace(
        facts,
        **{
            entry.name: spread(getattr(facts, entry.name), places, number)
            for entry in fields(facts)
            if isinstance(getattr(facts, entry.name), np.ndarray)
        },
    )


def spread(by_group: np.ndarray, places: np.ndarray, number: int) -> np.ndarray:
    """An array by group with its groups at these places among so many, and 0 for the others."""
    spread_out = np.zeros((number, *by_group.shape[1:]), by_group.dtype)
    spread_out[places] = by_group
    return spread_out
