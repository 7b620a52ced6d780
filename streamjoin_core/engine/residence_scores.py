"""Computing residence priorities, and finding the lowest of those that are mature.

Where matches do not fade, and importances and penalty are decimals, a priority is a fraction of
whole numbers and is divided once, so that equal ones are equal. Otherwise priorities are rounded to
twelve digits. Where priorities are recomputed at every eviction, they are computed for those who
may be the lowest, and otherwise for all, several at a time.

Between two matches, all that is gained per age falls, and a fine grows by the penalty per unit of
time. So for times up to `until` a priority is at least

    importance * matches / (age at `until`)  -  penalty * idle, if idle >= delta by then,

less the penalty for the time since.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import arithmetic, compiled, inner
from streamjoin_core.engine.memory import NONE
from streamjoin_core.engine.shortlist import choose, forget, start

_SHORTEN = 2.0**13 + 1  # takes the last 13 of a double's 53 binary digits away
_UNSURE = 2.0**-36  # share of a priority by which rounding may have changed it, or more


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


@compiled
def recompute(residence, part, now):
    """Compute the priorities of all mature ones, unless it is done whenever one is asked for."""
    if residence.terms.every > 1:
        _compute_all(residence, part, now)
        forget(residence.shortlist, part)


@compiled
def lowest(residence, part, rows, now):
    """The slot of the mature tuple of the lowest priority, the earliest row among equals."""
    rest = residence.shortlist.rest
    if rest[part] > 0:
        rest[part] -= 1
    elif residence.used[part] > residence.shortlist.few:
        slot = _lowest_listed(residence, part, rows, now)
        if slot == NONE:
            _make_list(residence, part, rows, now)
            slot = _lowest_listed(residence, part, rows, now)
        if slot != NONE:
            return slot
        rest[part] = residence.shortlist.pause
    if residence.terms.every == 1:
        _compute_all(residence, part, now)
    return _lowest_of_all(residence, part, rows, now)


@arithmetic
def _compute_all(residence, part, now):
    terms, weight = residence.terms, _weight(residence, now)
    used = residence.used[part]
    arrival, idle_since = residence.arrival[part, :used], residence.idle_since[part, :used]
    worth, matches = residence.worth[part, :used], residence.matches[part, :used]
    priority = residence.priority[part, :used]
    for place in range(used):
        age, idle = now - arrival[place], now - idle_since[place]
        new = _computed(terms, worth[place], matches[place], age, idle, weight)
        priority[place] = new if age > terms.maturity else priority[place]


@inner
def _weight(residence, now):
    """What matches as seen from `base` are multiplied by."""
    terms = residence.terms
    return terms.weight * exp(-terms.decay * (now - residence.base[0]))


@inner
def _computed(terms, worth, matches, age, idle, weight):
    """The priority of one tuple."""
    fine = terms.penalty * float(idle) if idle >= terms.patience else 0.0
    if terms.is_exact:
        # A fraction of whole numbers below 2**53.
        return (worth * matches * terms.weight - fine * float(age)) / float(max(age, 1))
    # Equal importances per age make equal products, whatever the matches' last digits.
    new = matches * (worth / float(max(age, 1))) * weight - fine
    # To twelve digits.
    far = new * _SHORTEN
    return far - (far - new)


@arithmetic
def _lowest_of_all(residence, part, rows, now):
    used = residence.used[part]
    arrival, priority = residence.arrival[part, :used], residence.priority[part, :used]
    slot = residence.slot[part]
    mature_before = now - residence.terms.maturity
    best, least = NONE, np.inf
    for place in range(used):
        if priority[place] <= least and arrival[place] < mature_before:
            this = slot[place]
            if best == NONE or priority[place] < least or rows[this] < rows[best]:
                best, least = this, priority[place]
    return best


@arithmetic
def _lowest_listed(residence, part, rows, now):
    """The slot of the lowest on the list, or NONE if somebody else may be lower."""
    shortlist, terms = residence.shortlist, residence.terms
    if now > shortlist.until[part]:
        return NONE
    weight = _weight(residence, now)
    listed, listed_row = shortlist.slot[part], shortlist.row[part]
    place_of, arrival, idle_since = (
        residence.place,
        residence.arrival[part],
        residence.idle_since[part],
    )
    worth, matches, priority = (
        residence.worth[part],
        residence.matches[part],
        residence.priority[part],
    )
    best, best_row, least, size = NONE, 0, np.inf, 0
    for number in range(shortlist.size[part]):
        slot, row = listed[number], listed_row[number]
        if rows[slot] != row:
            continue  # it has left
        listed[size], listed_row[size] = slot, row
        size += 1
        place = place_of[slot]
        age, idle = now - arrival[place], now - idle_since[place]
        if age <= terms.maturity:
            continue
        this = priority[place]
        if terms.every == 1:
            this = _computed(terms, worth[place], matches[place], age, idle, weight)
        if this < least or (this == least and row < best_row):
            best, best_row, least = slot, row, this
    shortlist.size[part] = size
    others = _bound_of_others(terms, shortlist, part, now)
    is_lowest = least < others or (least == others and best_row <= shortlist.last_row[part])
    return best if is_lowest else NONE


@inner
def _bound_of_others(terms, shortlist, part, now):
    bound, fallen = shortlist.others[part], shortlist.fall[part] * (now - shortlist.made[part])
    is_sure = fallen == 0 or (terms.is_exact and bound == np.floor(bound))
    if is_sure or bound == np.inf:
        return bound - fallen
    return bound - fallen - _UNSURE * (abs(bound) + fallen)


@inner
def _make_list(residence, part, rows, now):
    shortlist, used = residence.shortlist, residence.used[part]
    until = start(shortlist, part, now)
    if residence.terms.every == 1:
        _bounds(residence, part, now, until, _weight(residence, until))
    else:
        _bounds_of_computed(residence, part, until)
    fall = _fall(residence, part, until)
    choose(shortlist, part, residence.slot[part], residence.lower[:used], rows, fall)


@arithmetic
def _bounds(residence, part, now, until, weight):
    """Of the priorities computed up to `until`; infinite for those not mature by then."""
    terms = residence.terms
    used = residence.used[part]
    arrival, idle_since = residence.arrival[part, :used], residence.idle_since[part, :used]
    worth, matches = residence.worth[part, :used], residence.matches[part, :used]
    lower = residence.lower[:used]
    sure = 0.0 if terms.is_exact else _UNSURE
    for place in range(used):
        age = until - arrival[place]
        gain = worth[place] * matches[place] * weight / float(max(age, 1))
        is_fined = until - idle_since[place] >= terms.patience
        fine = terms.penalty * float(now - idle_since[place]) if is_fined else 0.0
        unsure = _UNSURE if gain > 0 else sure
        bound = gain - fine - unsure * (gain + fine)
        lower[place] = bound if age > terms.maturity else np.inf


@arithmetic
def _bounds_of_computed(residence, part, until):
    used = residence.used[part]
    arrival, priority = residence.arrival[part, :used], residence.priority[part, :used]
    lower = residence.lower[:used]
    for place in range(used):
        is_mature = until - arrival[place] > residence.terms.maturity
        lower[place] = priority[place] if is_mature else np.inf


@arithmetic
def _fall(residence, part, until):
    """How fast bounds fall: not at all if nobody is fined by `until`, or nothing is computed."""
    idle_since = residence.idle_since[part, : residence.used[part]]
    first = until
    for place in range(len(idle_since)):
        first = min(first, idle_since[place])
    falls = residence.terms.every == 1 and until - first >= residence.terms.patience
    return residence.terms.penalty if falls else 0.0


@inner
def may_be_lowest(residence, part, initial, now):
    """Whether a newcomer belongs on the list: it may be mature, and fined, before time is up."""
    terms, shortlist = residence.terms, residence.shortlist
    if shortlist.until[part] <= now:
        return False
    ahead = shortlist.until[part] - now
    if ahead <= terms.maturity:
        return False
    if terms.every > 1:
        return initial < shortlist.others[part]
    # Nothing yet, as all others would have to be by then.
    fall = shortlist.fall[part]
    may_fall = fall == 0 and terms.penalty > 0 and ahead >= terms.patience
    return may_fall or fall * (now - shortlist.made[part]) < shortlist.others[part]
