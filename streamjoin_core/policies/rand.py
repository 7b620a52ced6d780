"""Chance: each time that one must leave, all candidates are equally likely to be the one.

    Pr{x leaves} = 1 / (number of candidates), for each one in memory and each newcomer

Chance is drawn anew each time; no candidate carries a fixed priority. Of a step's arrivals all
enter before the first draw. The draws depend on the seed only: splitmix64, and the candidates in an
array (one per stream, the left one first) in which the last one fills the place of the one that
leaves.

Cost: O(1) per arrival or reference.
Difference from Belady's RANDOM: the new object is a candidate too, so it may be bypassed.
References: J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005,
section 8 (RAND); L. A. Belady, A study of replacement algorithms for a virtual-storage computer,
IBM Systems Journal 5(2), 1966.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.ageing import never_yields, nothing_seen
from streamjoin_core.engine.caching import CachingTask, nothing, replay_references
from streamjoin_core.engine.chance import draw, new_chance, wrapping_around
from streamjoin_core.engine.compiled import compiled, entry_point, inner
from streamjoin_core.engine.facts import CachingFacts, JoinFacts
from streamjoin_core.engine.joining import JoinTask, run_join, slots_needed
from streamjoin_core.engine.loop import replay_join
from streamjoin_core.policies.base import Policy


class _Pool(NamedTuple):
    slots: np.ndarray  # uint32 [stream, place]
    place: np.ndarray  # uint32 [slot]
    chance: np.ndarray


@inner
def _entered(pool, memory, slot):
    stream = memory.stream[slot]
    place = memory.used[stream] - 1
    pool.slots[stream, place] = slot
    pool.place[slot] = place


@inner
def _left(pool, memory, slot):
    """The last one fills the hole."""
    stream = memory.stream[slot]
    last = pool.slots[stream, memory.used[stream] - 1]
    pool.slots[stream, pool.place[slot]] = last
    pool.place[last] = pool.place[slot]


@inner
def _drawn(pool, memory, part):
    left = memory.used[0] if part != 1 else 0
    right = memory.used[1] if part != 0 else 0
    place = draw(pool.chance, left + right)
    stream = np.uint8(place >= left)  # a number, since nobody could guess where to branch
    return pool.slots[stream, place - left * stream]


@entry_point
def _replay_arrivals(run, pool):
    replay_join(run, pool, nothing_seen, _entered, _left, _drawn, never_yields)


def replay_joining(task: JoinTask) -> JoinFacts:
    slots = slots_needed(task, ranks=False)
    pool = _Pool(np.empty((2, slots), np.uint32), np.empty(slots, np.uint32), new_chance(task.seed))
    with wrapping_around():
        return run_join(task, _replay_arrivals, pool, ranks=False)


class _Cached(NamedTuple):
    keys: np.ndarray  # uint32 [place]
    used: np.ndarray  # int64 [1]: places filled
    chance: np.ndarray


@inner
def _enter(cached, key, row):
    cached.keys[cached.used[0]] = key
    cached.used[0] += 1


@inner
def _replace(cached, key, row):
    """The new object stands last, behind the cached ones: it is drawn, or fills the hole."""
    mem = len(cached.keys)
    place = draw(cached.chance, mem + 1)
    if place == mem:
        return key
    drawn = cached.keys[place]
    cached.keys[place] = key
    return drawn


@compiled
def _replay_references(references, cached):
    return replay_references(references, cached, nothing, _enter, _replace)


def replay_caching(task: CachingTask) -> CachingFacts:
    cached = _Cached(np.empty(task.slots, np.uint32), np.zeros(1, np.int64), new_chance(task.seed))
    with wrapping_around():
        return task.facts(_replay_references(task.references(), cached))


POLICY = Policy(
    name="rand",
    summary="one drawn by lot, the newcomer included",
    paper="Xie, Yang, Chen 2005; Belady 1966",
    cost="O(1)",
    joining=replay_joining,
    caching=replay_caching,
    is_random=True,
)
