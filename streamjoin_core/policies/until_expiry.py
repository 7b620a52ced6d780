"""Until expiry: whoever is in stays to the end of its window; arrivals enter only free memory.

    score(x) = - the row of x's arrival

Within a step it is first come, first served by row.

Cost: O(1) per arrival.
Reference: U. Srivastava, J. Widom, Memory-limited execution of windowed stream joins, VLDB 2004,
section 3.2 (tuples retained until expiry).
"""

from streamjoin_core.engine.ageing import NO_STATE, nothing_moves, nothing_seen, oldest
from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import JoinTask, run_join
from streamjoin_core.engine.loop import replay_join
from streamjoin_core.policies.base import Policy


@inner
def _always_yields(state, memory, stream, key, row, since, slot):
    return True


@entry_point
def _replay(run, state):
    replay_join(run, state, nothing_seen, nothing_moves, nothing_moves, oldest, _always_yields)


def replay_joining(task: JoinTask) -> JoinFacts:
    return run_join(task, _replay, NO_STATE)


POLICY = Policy(
    name="until-expiry",
    summary="the newcomer: who is in stays until it expires",
    paper="Srivastava, Widom 2004, §3.2",
    cost="O(1)",
    joining=replay_joining,
)
