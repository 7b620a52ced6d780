"""Least recently used: whoever was not referenced for the longest time leaves first.

    score(x) = the row of the last reference to x

A new object has the highest score, so none is ever bypassed.

The references themselves are the queue: a hand moves over them from the oldest on and passes those
that are not the last reference to their object, so that nothing is relinked at a hit.

Cost: O(1) per reference, amortised.
Reference: R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger, Evaluation techniques for storage
hierarchies, IBM Systems Journal 9(2), 1970.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.caching import CachingTask, nothing, replay_references
from streamjoin_core.engine.compiled import compiled, inner
from streamjoin_core.engine.facts import CachingFacts
from streamjoin_core.policies.base import Policy


class _Recency(NamedTuple):
    references: np.ndarray  # uint32 [row]: the key referenced
    last: np.ndarray  # int32 [key]: the row of its last reference
    hand: np.ndarray  # int64 [1]: every cached object was referenced at this row or later


@inner
def _refer(recency, key, row):
    recency.last[key] = row


@inner
def _replace(recency, key, row):
    hand = recency.hand[0]
    while recency.last[recency.references[hand]] != hand:
        hand += 1
    recency.hand[0] = hand + 1
    return recency.references[hand]


@compiled
def _replay_references(references, recency):
    return replay_references(references, recency, _refer, nothing, _replace)


def replay_caching(task: CachingTask) -> CachingFacts:
    last = np.zeros(task.number_of_keys, np.int32)
    recency = _Recency(task.keys, last, np.zeros(1, np.int64))
    return task.facts(_replay_references(task.references(), recency))


POLICY = Policy(
    name="lru",
    summary="the one not referenced for the longest time",
    paper="Mattson, Gecsei, Slutz, Traiger 1970",
    cost="O(1) amortised",
    caching=replay_caching,
)
