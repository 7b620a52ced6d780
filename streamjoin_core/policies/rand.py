"""Chance: each time that one must leave, all candidates are equally likely to be the one.

    Pr{x leaves} = 1 / (mem + 1), for each cached object and for the new one

Chance is drawn anew each time; no object carries a fixed priority. The draws depend on the seed
only: splitmix64, and the candidates in an array in which the last one fills the place of the one
that leaves.

Cost: O(1) per reference.
Difference from Belady's RANDOM: the new object is a candidate too, so it may be bypassed.
Reference: L. A. Belady, A study of replacement algorithms for a virtual-storage computer, IBM
Systems Journal 5(2), 1966.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.caching import CachingTask, nothing, replay_references
from streamjoin_core.engine.chance import draw, new_chance
from streamjoin_core.engine.compiled import compiled, inner
from streamjoin_core.engine.facts import CachingFacts
from streamjoin_core.policies.base import Policy


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
    cached = _Cached(
        np.empty(task.slots, np.uint32), np.zeros(1, np.int64), new_chance(task.seed)
    )
    return task.facts(_replay_references(task.references(), cached))


POLICY = Policy(
    name="rand",
    summary="one drawn by lot, the newcomer included",
    paper="Belady 1966",
    cost="O(1)",
    caching=replay_caching,
    is_random=True,
)
