"""The one replay loop of the caching problem: it looks up, limits and counts.

A policy only says who leaves, through compiled functions that the loop takes as arguments:

    refer(state, key, row)      a reference, hit or miss, before anything else happens
    enter(state, key, row)      a missed object enters free memory
    replace(state, key, row)    the memory is full: the object that goes; if that is another one
                                than `key`, the missed object enters in its place

The loop is inlined into each policy's own entry point, whose machine code is cached on disk.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import inlined, inner
from streamjoin_core.engine.facts import CachingFacts, Lifetimes
from streamjoin_core.parameters import Parameters
from streamjoin_core.trace.trace import Trace

NOT_CACHED = -1


class References(NamedTuple):
    """What the loop takes and keeps, whatever the policy."""

    key: np.ndarray  # uint32 [row]
    time: np.ndarray  # int64 [row]
    entered: np.ndarray  # int32 [key]: the row at which it entered, or NOT_CACHED
    mem: int
    first_counted: int  # row: earlier ones are warm-up


@dataclass(frozen=True, eq=False)
class CachingTask:
    """One run of one policy over a trace of references."""

    trace: Trace
    params: Parameters
    mem: int
    seed: int = 0
    first_counted_row: int = 0  # earlier rows count neither as references nor as hits
    probabilities: np.ndarray | None = None  # float64 [key]: known chance of being referenced next
    model: dict | None = None  # per stream label, if the process is known

    @property
    def rows(self) -> int:
        return len(self.trace)

    @property
    def number_of_keys(self) -> int:
        return len(self.trace.key_values)

    @property
    def slots(self) -> int:
        """The part of the memory that can be filled at all."""
        return min(self.mem, self.number_of_keys)

    @property
    def keys(self) -> np.ndarray:
        """Key ids without a sign: compiled code then has no negative index to think of."""
        return self.trace.key.view(np.uint32)

    def references(self) -> References:
        """A fresh start: nothing is cached."""
        entered = np.full(self.number_of_keys, NOT_CACHED, np.int32)
        return References(self.keys, self.trace.time, entered, self.slots, self.first_counted_row)

    def facts(self, counts: tuple) -> CachingFacts:
        """What the loop counted, as the report takes it."""
        hits, evicted, dropped, total, squares = counts
        return CachingFacts(
            references=max(0, self.rows - self.first_counted_row),
            hits=hits,
            evicted=evicted,
            dropped=dropped,
            lifetimes=Lifetimes(evicted + dropped, total, squares),
        )


@inner
def nothing(state, key, row):
    """The hook of policies that need not know."""


@inlined
def replay_references(references, state, refer, enter, replace):
    """Replay all rows; hits, evicted, dropped, and total and squares of lifetimes."""
    keys, time, entered = references.key, references.time, references.entered
    used = hits = evicted = dropped = 0
    total = squares = 0.0
    for row in range(len(keys)):
        key = keys[row]
        is_hit = entered[key] != NOT_CACHED
        refer(state, key, row)
        if is_hit:
            hits += row >= references.first_counted
        elif used < references.mem:
            used += 1
            entered[key] = row
            enter(state, key, row)
        else:
            victim = replace(state, key, row)
            if victim == key:
                dropped += 1  # with a lifetime of 0
            else:
                evicted += 1
                life = float(time[row] - time[entered[victim]])
                total += life
                squares += life * life
                entered[victim] = NOT_CACHED
                entered[key] = row
    return hits, evicted, dropped, total, squares
