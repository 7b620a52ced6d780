"""First in, first out: whoever entered first leaves first.

    score(x) = the row at which x entered

A new object has the highest score, so caching never bypasses one.

Cost: O(1) per reference.
Reference: L. A. Belady, A study of replacement algorithms for a virtual-storage computer, IBM
Systems Journal 5(2), 1966.
"""

from streamjoin_core.engine.caching import CachingTask, nothing, replay_references
from streamjoin_core.engine.compiled import compiled, inner
from streamjoin_core.engine.facts import CachingFacts
from streamjoin_core.engine.key_queue import new_queue, pop, push
from streamjoin_core.policies.base import Policy


@inner
def _enter(queue, key, row):
    push(queue, key)


@inner
def _replace(queue, key, row):
    first = pop(queue)
    push(queue, key)
    return first


@compiled
def _replay_references(references, queue):
    return replay_references(references, queue, nothing, _enter, _replace)


def replay_caching(task: CachingTask) -> CachingFacts:
    return task.facts(_replay_references(task.references(), new_queue(task.slots)))


POLICY = Policy(
    name="fifo",
    summary="the one that entered first",
    paper="Belady 1966",
    cost="O(1)",
    caching=replay_caching,
    aliases=("recent",),
)
