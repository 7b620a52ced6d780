"""Residence priorities: what a tuple has been worth per unit of time, less a penalty for idling.

    priority(x) = importance(x) * matches(x) / age(x)  -  c * idle(x), if idle(x) >= delta

All of them change as time goes on, so they are computed anew, several at a time, over arrays in
which the tuples of a memory part stand close together. Where matches do not fade, and importances
and penalty are decimals, a priority is a fraction of whole numbers and is divided once, so that
equal ones are equal. Otherwise priorities are rounded to twelve digits.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.ageing import oldest
from streamjoin_core.engine.compiled import arithmetic, entry_point, inner
from streamjoin_core.engine.joining import JoinTask, slots_needed
from streamjoin_core.engine.loop import BOTH, replay_join
from streamjoin_core.engine.memory import NONE
from streamjoin_core.engine.periods import Periods, new_periods, starts_anew
from streamjoin_core.engine.rules import Rows

NEVER = np.iinfo(np.int64).max
_SHORTEN = 2.0**13 + 1  # takes the last 13 of a double's 53 binary digits away
_FAR = 200.0  # e to this power is still far from the largest double


class Terms(NamedTuple):
    """How priorities are made up; times are in units of the trace."""

    maturity: int  # tuples of this age and younger stay
    patience: int  # tuples idle for so long are unproductive
    is_exact: bool
    weight: float  # what importance * matches / age is multiplied by
    penalty: float  # per unit of idle time; in exact terms also per unit of age
    decay: float  # of matches, per unit of time
    initial: float  # priority on arrival; not a number: the importance
    per_importance: float  # initial priority of a unit of importance
    plain: float  # the importance of all tuples, if the trace has none
    every: int  # evictions per recomputation
    bucket: int  # results that are compared with as many before them; 0: never
    fall: float  # share by which they must fall short for a recomputation


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
    residence.priority[part, place] = terms.initial if is_given else worth * terms.per_importance


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
        if residence.terms.is_exact:
            _recompute_exactly(residence, part, memory.now[0])
        else:
            _recompute(residence, part, memory.now[0])
        residence.left[part] = residence.terms.every
        residence.filled[1] += 1
    residence.left[part] -= 1
    return _lowest(residence, part, memory.row, memory.now[0])


@inner
def _is_young(residence, memory, slot):
    part = _part(residence, memory.stream[slot])
    age = memory.now[0] - residence.arrival[part, residence.place[slot]]
    return age <= residence.terms.maturity


@inner
def _yields(residence, memory, stream, key, row, since, slot):
    return _is_young(residence, memory, slot)


@arithmetic
def _recompute_exactly(residence, part, now):
    """Priorities of the mature, as fractions of whole numbers below 2**53."""
    terms = residence.terms
    used = residence.used[part]
    arrival, idle_since = residence.arrival[part, :used], residence.idle_since[part, :used]
    worth, matches = residence.worth[part, :used], residence.matches[part, :used]
    priority = residence.priority[part, :used]
    for place in range(used):
        age, idle = now - arrival[place], now - idle_since[place]
        fine = terms.penalty * float(idle) * float(age) if idle >= terms.patience else 0.0
        new = (worth[place] * matches[place] * terms.weight - fine) / float(max(age, 1))
        priority[place] = new if age > terms.maturity else priority[place]


@arithmetic
def _recompute(residence, part, now):
    """Priorities of the mature, to twelve digits."""
    terms = residence.terms
    used = residence.used[part]
    arrival, idle_since = residence.arrival[part, :used], residence.idle_since[part, :used]
    worth, matches = residence.worth[part, :used], residence.matches[part, :used]
    priority = residence.priority[part, :used]
    weight = terms.weight * exp(-terms.decay * (now - residence.base[0]))
    for place in range(used):
        age, idle = now - arrival[place], now - idle_since[place]
        fine = terms.penalty * float(idle) if idle >= terms.patience else 0.0
        # Equal importances per age make equal products, whatever the matches' last digits.
        new = matches[place] * (worth[place] / float(max(age, 1))) * weight - fine
        far = new * _SHORTEN
        new = far - (far - new)
        priority[place] = new if age > terms.maturity else priority[place]


@arithmetic
def _lowest(residence, part, rows, now):
    """The slot of the mature tuple of the lowest priority, the earliest row among equals."""
    used = residence.used[part]
    arrival, priority = residence.arrival[part, :used], residence.priority[part, :used]
    slot = residence.slot[part]
    mature_before = now - residence.terms.maturity
    best, lowest = NONE, np.inf
    for place in range(used):
        if priority[place] <= lowest and arrival[place] < mature_before:
            this = slot[place]
            if best == NONE or priority[place] < lowest or rows[this] < rows[best]:
                best, lowest = this, priority[place]
    return best


@entry_point
def replay_residence(run, residence):
    replay_join(run, residence, _seen, _entered, _left, _worst, _yields, _matched)
