"""Greedy: the least important tuple leaves first, whatever it may join.

    score(x) = importance(x), among equals the earlier arrival first

Importance that is redefined during the run counts from then on, also for tuples in memory.
Without an importance column all tuples weigh the same, and the oldest leaves first.

Cost: O(log mem) per arrival.
Reference: D. Kulkarni, C. V. Ravishankar, iJoin: importance-aware join approximation over data
streams, SSDBM 2008, section 4 (GREEDY).
"""

import numpy as np

from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import JoinTask, run_join
from streamjoin_core.engine.ranked import new_ranking, replay_ranked
from streamjoin_core.policies.base import Policy


def replay_joining(task: JoinTask) -> JoinFacts:
    rows = task.join.rows
    changing = _ranks(rows.redefined) if len(rows.redefined) else None
    return run_join(task, replay_ranked, new_ranking(task, _ranks(rows.importance), changing))


def _ranks(importance: np.ndarray) -> np.ndarray:
    _, rank = np.unique(importance, return_inverse=True)
    return rank.reshape(importance.shape).astype(np.int32)


POLICY = Policy(
    name="greedy",
    summary="the least important",
    paper="Kulkarni, Ravishankar 2008, §4",
    cost="O(log mem)",
    joining=replay_joining,
)
