"""Least frequently used: whoever has the fewest references so far leaves first.

    score(x) = number of references to x up to now, this one included

Counts are perfect: they survive eviction, and a bypassed reference counts too. Among equal counts
the least recently referenced leaves first.

Cost: O(1) per hit and per bypassed reference, O(log mem) amortised per eviction.
Differences: other implementations, among them libCacheSim's, forget the count of an evicted object
and admit every new one, so they give other hits; the paper calls that in-cache LFU.
Reference: L. Breslau, P. Cao, L. Fan, G. Phillips, S. Shenker, Web caching and Zipf-like
distributions: evidence and implications, INFOCOM 1999, section IV (Perfect-LFU).
"""

import numpy as np

from streamjoin_core.engine.caching import CachingTask, replay_references
from streamjoin_core.engine.compiled import compiled, inner
from streamjoin_core.engine.facts import CachingFacts
from streamjoin_core.engine.lazy_heap import enter, new_heap, priority_of, replace, score_of
from streamjoin_core.policies.base import Policy


@inner
def _refer(heap, key, row):
    count = score_of(heap.priority[key]) + 1
    heap.priority[key] = priority_of(count, row)


@compiled
def _replay_references(references, heap):
    return replay_references(references, heap, _refer, enter, replace)


def replay_caching(task: CachingTask) -> CachingFacts:
    heap = new_heap(np.zeros(task.number_of_keys, np.int64), task.slots)
    return task.facts(_replay_references(task.references(), heap))


POLICY = Policy(
    name="lfu",
    summary="the one with the fewest references so far",
    paper="Breslau, Cao, Fan, Phillips, Shenker 1999 (Perfect-LFU)",
    cost="O(1) per hit, O(log mem) amortised per eviction",
    caching=replay_caching,
)
