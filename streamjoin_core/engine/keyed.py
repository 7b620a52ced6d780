"""Candidates ranked by key: tuples of one stream and key share a score, and the oldest goes first.

Each stream has a tournament of the keys that it has in memory, by score and then by the row of the
key's oldest tuple. A score is a whole number that an arrival of the other stream raises by one (its
past frequency), or a rank that stays (of a known probability). Scores of the two streams are
counts out of different numbers of arrivals, so the winners are compared crosswise.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.joining import JoinTask, slots_needed
from streamjoin_core.engine.loop import BOTH, replay_join
from streamjoin_core.engine.memory import NONE
from streamjoin_core.engine.tournament import (
    EMPTY,
    new_trees,
    priority,
    row_of,
    score_of,
    set_leaf,
    smallest,
)


class Keyed(NamedTuple):
    score: np.ndarray  # int32 [stream, key]: of that stream's tuples with the key
    arrivals: np.ndarray  # int64 [stream]: of the other stream, which the scores are out of
    learns: bool  # whether arrivals raise scores
    keys: np.ndarray  # uint32 [row]: the trace's
    leaf: np.ndarray  # uint32 [stream, key]: where the key stands in its stream's tree, or NONE
    free: np.ndarray  # uint32 [stream, leaf]: a stack of free leaves
    free_leaves: np.ndarray  # int64 [stream]: its height
    trees: np.ndarray  # int64 [stream, node]


def new_keyed(task: JoinTask, probabilities: np.ndarray | None) -> Keyed:
    """Scores that learn from arrivals, or that are given as probabilities [stream, key]."""
    number_of_keys = task.join.number_of_keys
    leaves = max(1, min(slots_needed(task), number_of_keys))
    if probabilities is None:
        score = np.zeros((2, number_of_keys), np.int32)
    else:
        ranks = np.unique(probabilities, return_inverse=True)[1]
        score = ranks.reshape(probabilities.shape).astype(np.int32)
    return Keyed(
        score,
        np.full(2, 0 if probabilities is None else 1, np.int64),
        probabilities is None,
        task.join.rows.key,
        np.full((2, number_of_keys), NONE, np.uint32),
        np.tile(np.arange(leaves - 1, -1, -1, dtype=np.uint32), (2, 1)),
        np.full(2, leaves, np.int64),
        new_trees(2, leaves),
    )


@inner
def _seen(keyed, memory, stream, key):
    """An arrival makes the other stream's tuples with this key more likely to join."""
    if keyed.learns:
        other = 1 - stream
        keyed.arrivals[other] += 1
        keyed.score[other, key] += 1
        leaf = keyed.leaf[other, key]
        if leaf != NONE:
            row = memory.row[memory.first[other, key]]
            set_leaf(keyed.trees, other, leaf, priority(keyed.score[other, key], row))


@inner
def _entered(keyed, memory, slot):
    stream, key = memory.stream[slot], memory.key[slot]
    if keyed.leaf[stream, key] == NONE:
        keyed.free_leaves[stream] -= 1
        leaf = keyed.free[stream, keyed.free_leaves[stream]]
        keyed.leaf[stream, key] = leaf
        value = priority(keyed.score[stream, key], memory.row[slot])
        set_leaf(keyed.trees, stream, leaf, value)


@inner
def _left(keyed, memory, slot):
    stream, key = memory.stream[slot], memory.key[slot]
    if memory.first[stream, key] != slot:
        return
    leaf = keyed.leaf[stream, key]
    heir = memory.after[slot]
    if heir == NONE:
        keyed.leaf[stream, key] = NONE
        keyed.free[stream, keyed.free_leaves[stream]] = leaf
        keyed.free_leaves[stream] += 1
        set_leaf(keyed.trees, stream, leaf, EMPTY)
    else:
        value = priority(keyed.score[stream, key], memory.row[heir])
        set_leaf(keyed.trees, stream, leaf, value)


@inner
def _worst(keyed, memory, part):
    stream = part
    if part == BOTH:
        left, right = smallest(keyed.trees, 0), smallest(keyed.trees, 1)
        if left == EMPTY or right == EMPTY:
            stream = 1 if left == EMPTY else 0
        else:
            difference = score_of(left) * keyed.arrivals[1] - score_of(right) * keyed.arrivals[0]
            if difference == 0:
                difference = row_of(left) - row_of(right)
            stream = 0 if difference < 0 else 1
    key = keyed.keys[row_of(smallest(keyed.trees, stream))]
    return memory.first[stream, key]


@inner
def _yields(keyed, memory, stream, key, row, since, slot):
    """An arrival goes only for a lower score: among equals it is the later one."""
    other_stream, other_key = memory.stream[slot], memory.key[slot]
    own = keyed.score[stream, key] * keyed.arrivals[other_stream]
    return own < keyed.score[other_stream, other_key] * keyed.arrivals[stream]


@entry_point
def replay_keyed(run, keyed):
    replay_join(run, keyed, _seen, _entered, _left, _worst, _yields)
