"""First in, first out: whoever entered first leaves first.

    score(x) = the row at which x entered

A new tuple or object has the highest score, so none is ever turned away. For joining this keeps
the most recent tuples of both streams.

Cost: O(1) per arrival or reference.
References: U. Srivastava, J. Widom, Memory-limited execution of windowed stream joins, VLDB 2004
(RECENT); D. Kulkarni, C. V. Ravishankar, iJoin: importance-aware join approximation over data
streams, SSDBM 2008 (FIFO); L. A. Belady, A study of replacement algorithms for a virtual-storage
computer, IBM Systems Journal 5(2), 1966.
"""

from streamjoin_core.engine.ageing import NO_STATE, replay_oldest_first
from streamjoin_core.engine.caching import CachingTask, nothing, replay_references
from streamjoin_core.engine.compiled import compiled, inner
from streamjoin_core.engine.facts import CachingFacts, JoinFacts
from streamjoin_core.engine.joining import JoinTask, run_join
from streamjoin_core.engine.key_queue import new_queue, pop, push
from streamjoin_core.policies.base import Policy


def replay_joining(task: JoinTask) -> JoinFacts:
    return run_join(task, replay_oldest_first, NO_STATE)


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
    paper="Srivastava, Widom 2004; Belady 1966",
    cost="O(1)",
    joining=replay_joining,
    caching=replay_caching,
    aliases=("recent",),
)
