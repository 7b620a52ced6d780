"""What tuples produce that are held from their arrival to a given step: a replay of a schedule.

It knows nothing of graphs and flows, only what the join says, so it is a check of both.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.condition import EQUAL, keys_join
from streamjoin_core.engine.joining import Join
from streamjoin_core.engine.rules import pair_importance
from streamjoin_core.optimal.benefit import Benefit, weigh
from streamjoin_core.optimal.pairs import sort_by_key
from streamjoin_core.optimal.walk import new_clock, step_starts, walk

NONE = -1


class Production(NamedTuple):
    """Per row, what it produces with arrivals after it."""

    results: np.ndarray  # int64
    units: np.ndarray  # int64: of benefit
    importance: np.ndarray  # float64; empty if the trace has none


class Partners(NamedTuple):
    """Where a row's partners are: after its own step, before its window and its time are over."""

    first: np.ndarray  # int64 [row]
    end: np.ndarray  # int64 [row]
    by_key: np.ndarray  # int32 [row]: rows by stream and key
    starts: np.ndarray  # int64 [stream * keys + key]: where they start there


def find_partners(join: Join) -> Partners:
    """Of tuples that stay as long as their windows."""
    rows, rules = join.rows, join.rules
    starts = step_starts(rows.time)
    first = np.maximum(np.repeat(starts[1:], np.diff(starts)), rules.first_counted)
    end_of_window = np.empty(len(rows.time), np.int64)
    _find_ends(rows, rules, new_clock(), end_of_window)
    return Partners(first, end_of_window, *sort_by_key(join))


def produce(join: Join, leaving: np.ndarray, benefit: Benefit) -> Production:
    """What is produced if each row leaves after the probe of this step; NONE never enters."""
    rows, rules = join.rows, join.rules
    number = len(rows.time)
    leaves = np.where(leaving == NONE, 0, step_starts(rows.time)[leaving + 1])
    partners = find_partners(join)
    partners = partners._replace(end=np.minimum(leaves, partners.end))
    result = Production(
        np.zeros(number, np.int64), np.zeros(number, np.int64), np.zeros(len(rows.importance))
    )
    _produce(rows, rules, benefit.scale, partners, result)
    return result


@inner
def _note_end(ends, row, start):
    ends[row] = start


@inner
def _ignore(ends, row, step):
    pass


@entry_point
def _find_ends(rows, rules, clock, ends):
    """The first row at which each row's window is over."""
    walk(rows, rules, clock, ends, _note_end, _ignore, _ignore)


@entry_point
def _produce(rows, rules, scale, partners, result):
    keys = len(partners.starts) // 2
    for row in range(len(rows.time)):
        first, end = partners.first[row], partners.end[row]
        stream, key = rows.stream[row], np.int64(rows.key[row])
        if first >= end:
            continue
        if rules.condition.kind == EQUAL:
            bucket = (1 - np.int64(stream)) * keys + key
            last = partners.starts[bucket + 1]
            place = first_from(partners.by_key, partners.starts[bucket], last, first)
            while place < last and partners.by_key[place] < end:
                _add(rows, rules, scale, row, partners.by_key[place], result)
                place += 1
        else:
            for partner in range(first, end):
                is_other = rows.stream[partner] != stream
                if is_other and keys_join(rules.condition, stream, key, rows.key[partner]):
                    _add(rows, rules, scale, row, partner, result)


@inner
def first_from(sorted_rows, low, high, row):
    """The first place between low and high where the row is not before this one."""
    while low < high:
        middle = (low + high) // 2
        if sorted_rows[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def _add(rows, rules, scale, row, partner, result):
    result.results[row] += 1
    result.units[row] += weigh(rows, rules, scale, row, partner)
    if len(rows.importance) > 0:
        result.importance[row] += pair_importance(rows, rules, row, partner)
