"""Exact: nobody leaves before its window ends, as if memory had no limit.

    score(x) = infinite

The yardstick of all others: its results are the whole join. Memory and split are ignored.

Cost: O(1) per arrival, and no memory beyond a few counters per key.
Reference: D. Kulkarni, C. V. Ravishankar, iJoin: importance-aware join approximation over data
streams, SSDBM 2008 (EXACT).
"""

from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import JoinTask
from streamjoin_core.engine.unlimited import EXACT, EXPIRED
from streamjoin_core.policies.base import Policy


def replay_joining(task: JoinTask) -> JoinFacts:
    unlimited = task.join.unlimited
    return JoinFacts(
        results=unlimited.groups[:, EXACT],
        importance=task.join.exact_importance[:, EXACT],
        lives=unlimited.lives,
        evicted=0,
        dropped=0,
        expired=int(unlimited.pairs[EXPIRED]),
        lost_never_admitted=0,
        lost_evicted=0,
        lost_expired=0,
        left_share_total=float(unlimited.occupancy[0]),
        steps_with_tuples=int(unlimited.occupancy[1]),
    )


POLICY = Policy(
    name="exact",
    summary="nobody: memory without limit",
    paper="Kulkarni, Ravishankar 2008",
    cost="O(1)",
    joining=replay_joining,
    needs_memory=False,
    ignores_memory=True,
)
