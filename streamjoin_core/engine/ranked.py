"""Candidates ranked once and for all: each row has a whole number, and the lowest goes first."""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.ageing import nothing_seen
from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.joining import JoinTask, slots_needed
from streamjoin_core.engine.loop import BOTH, replay_join
from streamjoin_core.engine.tournament import EMPTY, new_trees, priority, set_leaf, smallest_leaf


class Ranking(NamedTuple):
    rank: np.ndarray  # int32 [row], not negative; empty if all are equal
    trees: np.ndarray  # int64 [part, node]: a tournament of all slots for each memory part
    is_shared: bool


def new_ranking(task: JoinTask, rank: np.ndarray) -> Ranking:
    trees = new_trees(len(task.parts), slots_needed(task))
    return Ranking(rank, trees, len(task.parts) == 1)


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
def replay_ranked(run, ranking):
    replay_join(run, ranking, nothing_seen, _entered, _left, _worst, _yields)
