"""How tuples spent their time in memory: when each gave its last result, and what came too late.

All of it follows from when each tuple left, so it is found afterwards, for every policy alike, in
one pass over the arrivals forwards and one backwards.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.condition import KeyCounts, count, joining, new_counts
from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.importance import spans
from streamjoin_core.engine.joining import Join
from streamjoin_core.engine.latest import NOBODY, Latest, latest_joining, new_latest, note
from streamjoin_core.engine.rules import step_end
from streamjoin_core.engine.ways import CACHED, DROPPED, EVICTED, EXPIRED, SATED


class Stays(NamedTuple):
    """Of each tuple that left, in order of arrival."""

    lifetime: np.ndarray  # int64: leaving time - arrival time
    idle: np.ndarray  # int64: time in memory after the last result, or all of it without any
    is_premature: np.ndarray  # bool: gave no result, though a partner came later in its window


class _Found(NamedTuple):
    last: np.ndarray  # int64 [row]: the arrival of its last result, itself if that was its own
    missed: np.ndarray  # int64 [row]: the first partner that it could no longer meet


class _Pass(NamedTuple):
    end: np.ndarray  # int64 [row]: the first row that it cannot meet
    by_end: np.ndarray  # int64: rows in order of `end`
    is_kept: np.ndarray  # bool [row]
    joins_on_arrival: np.ndarray  # bool [row]
    visible: KeyCounts
    latest: Latest


def observe_stays(join: Join, facts: JoinFacts) -> Stays:
    """How the tuples of a run stayed; `facts` tell when each left."""
    rows, rules = join.rows, join.rules
    number = len(rows.time)
    if number == 0:
        nothing = np.empty(0, np.int64)
        return Stays(nothing, nothing, nothing.astype(np.bool_))
    _, window_end = spans(rows, rules)
    way, end = _ends(join, facts, window_end.astype(np.int64))
    kind = rules.condition.kind
    state = _Pass(
        end,
        np.argsort(end, kind="stable"),
        way != DROPPED,
        np.zeros(number, np.bool_),
        new_counts(join.number_of_keys, kind),
        new_latest(join.number_of_keys, kind),
    )
    found = _Found(np.full(number, NOBODY, np.int64), np.full(number, number, np.int64))
    _look_back(rows, rules, state, found)
    _look_ahead(rows, rules, state, new_latest(join.number_of_keys, kind), found)
    left = np.flatnonzero(way != CACHED)
    time = rows.time[left]
    leaving = _leaving_times(join, facts, window_end)[left]
    has_joined = found.last[left] != NOBODY
    since = np.where(has_joined, rows.time[found.last[left]], time)
    is_missed = found.missed[left] < window_end[left]
    return Stays(leaving - time, leaving - since, ~has_joined & is_missed)


def _leaving_times(join: Join, facts: JoinFacts, window_end: np.ndarray) -> np.ndarray:
    if facts.leaving is not None:
        return facts.leaving
    # Nobody was limited: whoever left did so when its window was over.
    last = len(join.rows.time) - 1
    return join.rows.time[np.minimum(window_end, last)]


def _ends(join: Join, facts: JoinFacts, window_end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How each row left, and the first row that it could not meet any more."""
    time = join.rows.time
    if facts.ways is None:
        return np.where(window_end < len(time), EXPIRED, CACHED), window_end
    way = facts.ways
    # Whoever leaves after the probe of a step has met that step's arrivals.
    meets_last = (way == DROPPED) | (way == SATED)
    if not join.rules.evict_first:
        meets_last |= way == EVICTED
    first, after = (np.searchsorted(time, facts.leaving, side) for side in ("left", "right"))
    return way, np.where(way == CACHED, len(time), np.where(meets_last, after, first))


@inner
def _settle(rows, rules, state, found, row):
    """A tuple has left: what was its last result?"""
    stream, key = rows.stream[row], rows.key[row]
    if state.is_kept[row]:
        count(state.visible, rules.condition.kind, stream, key, -1)
    if state.joins_on_arrival[row]:
        found.last[row] = row
    if state.is_kept[row]:
        last = latest_joining(state.latest, rules.condition, stream, key)
        if last >= 0 and rows.time[last] > rows.time[row]:
            found.last[row] = last


@entry_point
def _look_back(rows, rules, state, found):
    """Step by step: who has left settles, arrivals probe, and those that are kept can be met."""
    kind = rules.condition.kind
    start, settled = 0, 0
    while start < len(rows.time):
        end = step_end(rows.time, start)
        while settled < start and state.end[state.by_end[settled]] <= start:
            _settle(rows, rules, state, found, state.by_end[settled])
            settled += 1
        for row in range(start, end):
            if state.is_kept[row] or not rules.evict_first:
                partners = joining(state.visible, rules.condition, rows.stream[row], rows.key[row])
                state.joins_on_arrival[row] = partners > 0
        for row in range(start, end):
            stream, key = rows.stream[row], rows.key[row]
            if state.is_kept[row]:
                count(state.visible, kind, stream, key, 1)
            if state.is_kept[row] or not rules.evict_first:
                note(state.latest, kind, stream, key, row)
        start = end
    while settled < len(rows.time):
        _settle(rows, rules, state, found, state.by_end[settled])
        settled += 1


@entry_point
def _look_ahead(rows, rules, state, latest, found):
    """From the last row to the first: the next partner after each tuple's end."""
    number = len(rows.time)
    arrived = number
    for place in range(number - 1, -1, -1):
        row = state.by_end[place]
        while arrived > state.end[row]:
            arrived -= 1
            stream, key = rows.stream[arrived], rows.key[arrived]
            note(latest, rules.condition.kind, stream, key, number - arrived)
        ahead = latest_joining(latest, rules.condition, rows.stream[row], rows.key[row])
        if ahead >= 0:
            found.missed[row] = number - ahead
