"""Candidates ranked by whole numbers that are known beforehand: the lowest goes first.

A row's rank is its own for good, or it is its kind's and changes with every period.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.joining import JoinTask, slots_needed
from streamjoin_core.engine.loop import BOTH, replay_join
from streamjoin_core.engine.periods import Periods, new_periods, starts_anew
from streamjoin_core.engine.tournament import EMPTY, new_trees, priority, set_leaf, smallest_leaf


class Ranking(NamedTuple):
    rank: np.ndarray  # int32 [row], not negative; empty if all are equal
    trees: np.ndarray  # int64 [part, node]: a tournament of all slots for each memory part
    is_shared: bool
    changing: np.ndarray  # int32 [period, kind]: the rank instead, if it changes
    periods: Periods


def new_ranking(task: JoinTask, rank: np.ndarray, changing: np.ndarray | None = None) -> Ranking:
    trees = new_trees(len(task.parts), slots_needed(task))
    if changing is None:
        changing = np.empty((0, 0), np.int32)
    return Ranking(rank, trees, len(task.parts) == 1, changing, new_periods(task.join.trace))


@inner
def _tree(ranking, stream):
    return 0 if ranking.is_shared else stream


@inner
def _priority(ranking, row):
    if len(ranking.changing):
        periods = ranking.periods
        return priority(ranking.changing[periods.current[0], periods.kind[row]], row)
    return priority(ranking.rank[row] if len(ranking.rank) else 0, row)


@inner
def _entered(ranking, memory, slot):
    row = memory.row[slot]
    set_leaf(ranking.trees, _tree(ranking, memory.stream[slot]), slot, _priority(ranking, row))


@inner
def _seen(ranking, memory, stream, key):
    if len(ranking.changing) and starts_anew(ranking.periods, memory.now[0]):
        for slot in range(len(memory.row)):
            if memory.row[slot] >= 0:
                _entered(ranking, memory, slot)


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
    replay_join(run, ranking, _seen, _entered, _left, _worst, _yields)
