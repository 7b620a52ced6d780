"""Longest forward distance: whoever's next reference lies furthest ahead leaves first.

    score(x) = - the row of the next reference to x, minus infinity if there is none

It knows the future, so it is a bound and no competitor: no policy has more hits. Among objects that
are never referenced again the least recently referenced leaves first.

Rows of next references are all different, so a set of them with its largest is all that is needed;
rows that have passed may stay in it, as they are never the largest. Objects without a next
reference wait in a queue.

Cost: O(log rows) per reference with a base of 32, mostly O(1); 4 bytes per row for next references.
Difference from the paper: there a referenced page must enter the memory; here it may be bypassed,
so that hits with memory k lie between the paper's with k and with k + 1.
Reference: L. A. Belady, A study of replacement algorithms for a virtual-storage computer, IBM
Systems Journal 5(2), 1966 (there called MIN).
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.caching import CachingTask, nothing, replay_references
from streamjoin_core.engine.compiled import compiled, inner
from streamjoin_core.engine.facts import CachingFacts
from streamjoin_core.engine.key_queue import KeyQueue, is_empty, new_queue, pop, push
from streamjoin_core.engine.next_use import next_use
from streamjoin_core.engine.row_set import RowSet, add, new_row_set, pop_largest
from streamjoin_core.policies.base import Policy


class _Future(NamedTuple):
    references: np.ndarray  # uint32 [row]: the key referenced
    next_use: np.ndarray  # uint32 [row]: of the key referenced there
    upcoming: RowSet  # next references to candidates
    unused: KeyQueue  # candidates that are never referenced again


@inner
def _refer(future, key, row):
    """Whoever is referenced is a candidate, cached or new, with a new next reference."""
    next_row = future.next_use[row]
    if next_row < len(future.references):
        add(future.upcoming, next_row)
    else:
        push(future.unused, key)


@inner
def _replace(future, key, row):
    if not is_empty(future.unused):
        return pop(future.unused)
    return future.references[pop_largest(future.upcoming)]


@compiled
def _replay_references(references, future):
    return replay_references(references, future, _refer, nothing, _replace)


def replay_caching(task: CachingTask) -> CachingFacts:
    future = _Future(
        task.keys,
        next_use(task.keys, task.number_of_keys),
        new_row_set(task.rows),
        new_queue(task.slots + 1),  # the new object is a candidate too
    )
    return task.facts(_replay_references(task.references(), future))


POLICY = Policy(
    name="lfd",
    summary="the one whose next reference lies furthest ahead",
    paper="Belady 1966 (MIN)",
    cost="O(log rows), mostly O(1)",
    caching=replay_caching,
    knows_future=True,
)
