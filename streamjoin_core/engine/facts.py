"""What a replay observed: raw counts, of which the report makes measures."""

from dataclasses import dataclass

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
