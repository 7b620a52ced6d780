"""A0: whoever is the least probable to be referenced leaves first, the probabilities being known.

    score(x) = Pr{the next reference is to x}, which does not change with time

An object that the model does not name has probability 0. Among equal probabilities the least
recently referenced leaves first.

Needs: a stationary model.
Cost: O(1) per hit and per bypassed reference, O(log mem) amortised per eviction.
Difference from the paper: there a referenced page must enter the memory; here it may be bypassed,
so that in the long run the mem most probable objects stay.
Reference: A. V. Aho, P. J. Denning, J. D. Ullman, Principles of optimal page replacement, Journal
of the ACM 18(1), 1971.
"""

import numpy as np

from streamjoin_core.engine.caching import CachingTask, replay_references
from streamjoin_core.engine.compiled import compiled, inner
from streamjoin_core.engine.facts import CachingFacts
from streamjoin_core.engine.lazy_heap import (
    SCORE_SHIFT,
    enter,
    new_heap,
    priority_of,
    replace,
    score_of,
)
from streamjoin_core.policies.base import Policy


@inner
def _refer(heap, key, row):
    rank = score_of(heap.priority[key])
    heap.priority[key] = priority_of(rank, row)


@compiled
def _replay_references(references, heap):
    return replay_references(references, heap, _refer, enter, replace)


def replay_caching(task: CachingTask) -> CachingFacts:
    # Ranks order like the probabilities, equal ones included, and are whole numbers.
    ranks = np.unique(task.probabilities, return_inverse=True)[1]
    heap = new_heap(ranks.astype(np.int64) << SCORE_SHIFT, task.slots)
    return task.facts(_replay_references(task.references(), heap))


POLICY = Policy(
    name="a0",
    summary="the one least probable to be referenced, by a known stationary model",
    paper="Aho, Denning, Ullman 1971",
    cost="O(1) per hit, O(log mem) amortised per eviction",
    caching=replay_caching,
    needs=("model",),
)
