"""The question that a replay of the joining problem answers, as the compiled loops take it."""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import inner
from streamjoin_core.engine.condition import Condition

COMBINATIONS = ("min", "max", "sum", "product")


class Rows(NamedTuple):
    """The trace; arrays that it lacks are empty."""

    time: np.ndarray
    stream: np.ndarray
    key: np.ndarray  # uint32
    importance: np.ndarray  # on arrival
    group: np.ndarray
    redefined: (
        np.ndarray
    )  # float64 [period, kind]: the importance in force; unless it never changes
    period: np.ndarray  # int32 [row]: when it arrives; empty if importance never changes
    kind: np.ndarray  # int32 [row]: what decides on its importance; empty if that never changes


class Rules(NamedTuple):
    """The options that decide who joins whom, and what counts."""

    condition: Condition
    window: np.ndarray  # int64 [stream]: in time, or in tuples of the stream
    by_tuples: bool
    evict_first: bool
    first_counted: int  # row: results of earlier ones are warm-up
    combination: int  # position in COMBINATIONS


@inner
def importance_at(rows, row, later):
    """The importance of a row when another arrives."""
    if len(rows.period):
        return rows.redefined[rows.period[later], rows.kind[row]]
    return rows.importance[row]


@inner
def pair_importance(rows, rules, one, other):
    """The importance of a pair, by the importances in force when the later of the two arrives."""
    later = max(one, other)
    return combine(
        rules.combination, importance_at(rows, one, later), importance_at(rows, other, later)
    )


@inner
def combine(combination, one, other):
    """One importance from two."""
    if combination == 0:
        return min(one, other)
    if combination == 1:
        return max(one, other)
    if combination == 2:
        return one + other
    return one * other


@inner
def group_of(rows, row):
    """The group of a row: without groups, all rows are of one."""
    return rows.group[row] if len(rows.group) else 0


@inner
def step_end(time, row):
    """The row after the last one of this row's step."""
    now = time[row]
    row += 1
    while row < len(time) and time[row] == now:
        row += 1
    return row
