"""Greedy: the least important tuple leaves first, whatever it may join.

    score(x) = importance(x), among equals the earlier arrival first

Without an importance column all tuples weigh the same, and the oldest leaves first.

Cost: O(log mem) per arrival.
Reference: D. Kulkarni, C. V. Ravishankar, iJoin: importance-aware join approximation over data
streams, SSDBM 2008, section 4 (GREEDY).
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.ageing import nothing_seen
from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import JoinTask, run_join, slots_needed
from streamjoin_core.engine.loop import BOTH, replay_join
from streamjoin_core.engine.tournament import EMPTY, new_trees, priority, set_leaf, smallest_leaf
from streamjoin_core.policies.base import Policy


class _Ranking(NamedTuple):
    rank: np.ndarray  # int32 [row]: order of the importances, equal ones sharing a rank
    trees: np.ndarray  # int64 [part, node]: a tournament of all slots for each memory part
    is_shared: bool


@inner
def _tree(ranking, stream):
    return 0 if ranking.is_shared else stream


@inner
def _priority(ranking, row):
    return priority(ranking.rank[row] if len(ranking.rank) else 0, row)


@inner
def _entered(ranking, memory, slot):
    row = memory.row[slot]
    set_leaf(ranking.trees, _tree(ranking, memory.stream[slot]), slot, _priority(ranking, row))


@inner
def _left(ranking, memory, slot):
    set_leaf(ranking.trees, _tree(ranking, memory.stream[slot]), slot, EMPTY)


@inner
def _worst(ranking, memory, part):
    return smallest_leaf(ranking.trees, 0 if part == BOTH else part)


@inner
def _yields(ranking, memory, stream, key, row, since, slot):
    return _priority(ranking, row) < _priority(ranking, memory.row[slot])


@entry_point
def _replay(run, ranking):
    replay_join(run, ranking, nothing_seen, _entered, _left, _worst, _yields)


def replay_joining(task: JoinTask) -> JoinFacts:
    importance = task.join.rows.importance
    rank = np.unique(importance, return_inverse=True)[1].astype(np.int32)
    trees = new_trees(len(task.parts), slots_needed(task))
    return run_join(task, _replay, _Ranking(rank, trees, len(task.parts) == 1))


POLICY = Policy(
    name="greedy",
    summary="the least important",
    paper="Kulkarni, Ravishankar 2008, §4",
    cost="O(log mem)",
    joining=replay_joining,
)
