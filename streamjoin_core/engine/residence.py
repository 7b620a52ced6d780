"""Residence priorities: what a tuple has been worth per unit of time, less a penalty for idling.

    priority(x) = importance(x) * matches(x) / age(x)  -  c * idle(x), if idle(x) >= delta

What priorities are made up of is kept here, in arrays in which the tuples of a memory part stand
close together; how they are computed, and when, is told beside it.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.ageing import oldest
from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.joining import JoinTask, slots_needed
from streamjoin_core.engine.loop import BOTH, replay_join
from streamjoin_core.engine.memory import NONE
from streamjoin_core.engine.periods import Periods, new_periods, starts_anew
from streamjoin_core.engine.residence_scores import Terms, lowest, may_be_lowest, recompute
from streamjoin_core.engine.rules import Rows
from streamjoin_core.engine.shortlist import Shortlist, add, forget, new_shortlist

NEVER = np.iinfo(np.int64).max
_FAR = 200.0  # e to this power is still far from the largest double


class Residence(NamedTuple):
    terms: Terms
    importance: np.ndarray  # float64 [row], or empty if all tuples weigh the same
    redefined: np.ndarray  # float64 [period, kind]
    periods: Periods
    slot: np.ndarray  # uint32 [part, place]
    place: np.ndarray  # uint32 [slot]
    used: np.ndarray  # int64 [part]
    arrival: np.ndarray  # int64 [part, place]
    idle_since: np.ndarray  # int64 [part, place]: time of the last match, or of arrival
    worth: np.ndarray  # float64 [part, place]: the importance now in force
    matches: np.ndarray  # float64 [part, place]: as seen from `base`
    priority: np.ndarray  # float64 [part, place]: as last computed
    base: np.ndarray  # int64 [1]: the time from which fading matches are seen
    left: np.ndarray  # int64 [part]: evictions until priorities are recomputed
    quality: np.ndarray  # float64: of the bucket being filled, and of the one before (-1: none)
    filled: np.ndarray  # int64: results in the bucket, and the number of recomputations so far
    lower: np.ndarray  # float64 [place]: bounds, while a list is made
    shortlist: Shortlist


def new_residence(task: JoinTask, terms: Terms, rows: Rows) -> Residence:
    """`rows` have importances as `terms` take them."""
    parts, slots = len(task.parts), slots_needed(task)
    shape = (parts, slots)
    return Residence(
        terms=terms,
        importance=rows.importance,
        redefined=rows.redefined,
        periods=new_periods(task.join.trace),
        slot=np.zeros(shape, np.uint32),
        place=np.zeros(slots, np.uint32),
        used=np.zeros(parts, np.int64),
        arrival=np.zeros(shape, np.int64),
        idle_since=np.zeros(shape, np.int64),
        worth=np.ones(shape),
        matches=np.zeros(shape),
        priority=np.zeros(shape),
        base=rows.time[:1].copy() if len(rows.time) else np.zeros(1, np.int64),
        left=np.zeros(parts, np.int64),
        quality=np.array([0.0, -1.0]),
        filled=np.zeros(2, np.int64),
        lower=np.zeros(slots),
        shortlist=new_shortlist(parts),
    )


@inner
def _part(residence, stream):
    return 0 if len(residence.used) == 1 else np.int64(stream)


@inner
def _worth(residence, row):
    periods = residence.periods
    if len(periods.kind):
        return residence.redefined[periods.current[0], periods.kind[row]]
    return residence.importance[row] if len(residence.importance) else residence.terms.plain


@inner
def _seen(residence, memory, stream, key):
    if starts_anew(residence.periods, memory.now[0]):
        for part in range(len(residence.used)):
            for place in range(residence.used[part]):
                row = memory.row[residence.slot[part, place]]
                residence.worth[part, place] = _worth(residence, row)
            forget(residence.shortlist, part)


@inner
def _entered(residence, memory, slot):
    terms, now = residence.terms, memory.now[0]
    part = _part(residence, memory.stream[slot])
    place = residence.used[part]
    residence.used[part] += 1
    residence.slot[part, place] = slot
    residence.place[slot] = place
    residence.arrival[part, place] = now
    residence.idle_since[part, place] = now
    worth = _worth(residence, memory.row[slot])
    residence.worth[part, place] = worth
    residence.matches[part, place] = memory.matches[slot] * _one_match(residence, now)
    is_given = terms.initial == terms.initial
    initial = terms.initial if is_given else worth * terms.per_importance
    residence.priority[part, place] = initial
    if may_be_lowest(residence, part, initial, now):
        add(residence.shortlist, part, slot, memory.row[slot])


@inner
def _left(residence, memory, slot):
    """The last one fills the hole."""
    part = _part(residence, memory.stream[slot])
    residence.used[part] -= 1
    last, place = residence.used[part], residence.place[slot]
    moved = residence.slot[part, last]
    residence.slot[part, place] = moved
    residence.place[moved] = place
    residence.arrival[part, place] = residence.arrival[part, last]
    residence.idle_since[part, place] = residence.idle_since[part, last]
    residence.worth[part, place] = residence.worth[part, last]
    residence.matches[part, place] = residence.matches[part, last]
    residence.priority[part, place] = residence.priority[part, last]


@inner
def _one_match(residence, now):
    """A match of now, as seen from `base`: matches before it look smaller and smaller."""
    decay = residence.terms.decay
    if decay == 0:
        return 1.0
    ahead = decay * (now - residence.base[0])
    if ahead > _FAR:
        for part in range(len(residence.used)):
            for place in range(residence.used[part]):
                residence.matches[part, place] *= exp(-ahead)
        residence.base[0] = now
        return 1.0
    return exp(ahead)


@inner
def _matched(residence, memory, slot, own, importance):
    now = memory.now[0]
    match = _one_match(residence, now)
    _note_match(residence, memory, slot, match, now)
    if own != NONE:
        _note_match(residence, memory, own, match, now)
    if residence.terms.bucket > 0:
        _fill_bucket(residence, importance)


@inner
def _note_match(residence, memory, slot, match, now):
    part, place = _part(residence, memory.stream[slot]), residence.place[slot]
    residence.matches[part, place] += match
    residence.idle_since[part, place] = now


@inner
def _fill_bucket(residence, importance):
    """A bucket of results that is worth less than the one before has priorities recomputed."""
    quality, filled = residence.quality, residence.filled
    quality[0] += importance
    filled[0] += 1
    if filled[0] == residence.terms.bucket:
        if quality[1] >= 0 and quality[1] - quality[0] > residence.terms.fall * quality[1]:
            for part in range(len(residence.left)):
                residence.left[part] = 0
        quality[1] = quality[0]
        quality[0] = 0.0
        filled[0] = 0


@inner
def _worst(residence, memory, part):
    """The lowest of the mature; if there is none, the oldest, to which arrivals yield."""
    oldest_slot = oldest(residence, memory, part)
    part = 0 if part == BOTH else part
    if _is_young(residence, memory, oldest_slot):
        return oldest_slot
    if residence.left[part] == 0:
        recompute(residence, part, memory.now[0])
        residence.left[part] = residence.terms.every
        residence.filled[1] += 1
    residence.left[part] -= 1
    return lowest(residence, part, memory.row, memory.now[0])


@inner
def _is_young(residence, memory, slot):
    part = _part(residence, memory.stream[slot])
    age = memory.now[0] - residence.arrival[part, residence.place[slot]]
    return age <= residence.terms.maturity


@inner
def _yields(residence, memory, stream, key, row, since, slot):
    return _is_young(residence, memory, slot)


@entry_point
def replay_residence(run, residence):
    replay_join(run, residence, _seen, _entered, _left, _worst, _yields, _matched)
