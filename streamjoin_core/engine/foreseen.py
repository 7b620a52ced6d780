"""Candidates ranked by what they may expect to gain, looked up in tables as time goes on.

    score(x) = H(x), the sum over waits of Pr{an arrival of B joins x then} * L(wait)

`models.chances.Foreseen` says how a tuple's place in its table moves. Scores drift with every step,
so each step looks up those of all cached tuples once, and the lowest is found by going over them.
Alpha may follow the lifetimes that are observed, or change from row to row as it is told: then
there is a table for each alpha of a list. With tables of terms instead of sums, a score is summed
up whenever it is needed, or follows from another one (`engine.recurrence`).
"""

from math import exp, floor
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.adapting import alpha_after, longest_lifetimes
from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.condition import (
    EQUAL,
    UNEQUAL,
    Condition,
    KeyCounts,
    count,
    joining,
    new_counts,
)
from streamjoin_core.engine.joining import JoinTask, slots_needed
from streamjoin_core.engine.loop import BOTH, replay_join
from streamjoin_core.engine.memory import NONE
from streamjoin_core.engine.recurrence import (
    MOST_GROWTH,
    earlier,
    later,
    nearest,
    rounded,
    sum_of_terms,
)
from streamjoin_core.engine.sure import sure, sure_score
from streamjoin_core.models.chances import COUNTED, LAST, LINE, LISTED, STATE, Foreseen

_NEVER = np.iinfo(np.int64).min
_NEGLIGIBLE = 1e-18
LOOKED_UP, SUMMED, BY_TIME, BY_VALUE = range(4)


class Outlook(NamedTuple):
    """Per stream, how its tuples' scores are found; arrays of two streams stand one after another.

    A score is cells[base + remaining * width + place - origin], the last two cut to the table.
    """

    time: np.ndarray  # int64 [row]
    row: np.ndarray  # int64 [1]: the next arrival to be seen
    rule: np.ndarray  # int64 [stream]
    cells: np.ndarray  # float64: all tables, and one zero in front
    start: np.ndarray  # int64 [stream, alpha]: where a table begins
    shape: np.ndarray  # int64 [stream, (contexts, remaining times, places)]
    value: np.ndarray  # int64 [key], if keys are whole numbers
    place: np.ndarray  # int64 [stream, key]: the key's value for LINE and LAST, else its id
    first: np.ndarray  # int64 [stream]: the place of the first cell
    line: np.ndarray  # float64 [stream, (slope, intercept)]
    context_of_row: np.ndarray  # int32 [stream, row], or empty
    lags: np.ndarray  # int64: of the left stream, then of the right
    lag_bounds: np.ndarray  # int64 [3]
    last_key: np.ndarray  # int64 [stream]: B's last key id
    last_time: np.ndarray  # int64 [stream]: when it arrived, _NEVER before the first
    origin: np.ndarray  # int64 [stream]: now
    base: np.ndarray  # int64 [stream]: now
    past: KeyCounts  # all arrivals so far, for COUNTED
    times: np.ndarray  # int64: arrivals by key of LISTED streams, left's B first
    bounds: np.ndarray  # int64 [stream, key + 1]
    condition: Condition
    window: np.ndarray  # int64 [stream]
    has_window: bool
    alphas: np.ndarray  # float64 [alpha]; 0 for a fixed life
    limit: int  # of a fixed life
    choice: np.ndarray  # int64 [1]: the alpha now
    lives: np.ndarray  # float64 [2]: number and total of observed lifetimes
    adapts: bool
    told: np.ndarray  # int32 [row]: the alpha from then on, or empty
    results: np.ndarray  # int64 [row]: noted if not empty
    score: np.ndarray  # float64 [slot], as of the step below
    scored: np.ndarray  # int64 [1]: the last row of the step that the scores are of
    is_placed: bool  # whether both streams' scores are a look-up
    evaluation: int  # LOOKED_UP, or from tables of terms SUMMED, BY_TIME or BY_VALUE
    exact: np.ndarray  # float64 [slot]: BY_TIME and BY_VALUE, the score before it was rounded
    growth: np.ndarray  # float64 [slot + 1]: exponent of a score's error; the last: an arrival's
    then: np.ndarray  # int64 [1 + 2 + 2]: time of the last scores, with its origins and bases
    longest: np.ndarray  # float64 [alpha - 1]: mean lifetimes up to which each alpha is the one


def new_outlook(
    task: JoinTask,
    foreseen: list[Foreseen],
    alphas: np.ndarray,
    limit: int,
    *,
    adapts: bool = False,
    evaluation: int = LOOKED_UP,
    told: np.ndarray | None = None,
    notes_results: bool = False,
) -> Outlook:
    """Tables and what moves in them; `told` has each row's alpha."""
    join = task.join
    rows, slots = len(join.rows.time), slots_needed(task)
    cells, starts = [np.zeros(1)], []
    at = 1
    for one in foreseen:
        starts.append([])
        for table in one.tables:
            starts[-1].append(at)
            sums = table.cells.ravel()
            cells.append(sure(sums) if evaluation == LOOKED_UP else sums)
            at += table.cells.size
    has_contexts = any(one.context_of_row is not None for one in foreseen)
    nothing = np.zeros(rows, np.int32)
    contexts = [nothing if one.context_of_row is None else one.context_of_row for one in foreseen]
    lags = [np.zeros(0, np.int64) if one.lags is None else one.lags for one in foreseen]
    times = [np.zeros(0, np.int64) if one.times is None else one.times for one in foreseen]
    bounds = np.zeros((2, join.number_of_keys + 1), np.int64)
    for stream, one in enumerate(foreseen):
        if one.bounds is not None:
            bounds[stream] = one.bounds + (len(times[0]) if stream else 0)
    values = join.trace.key_values
    if values.dtype != np.int64:
        values = np.zeros(len(values), np.int64)
    ids = np.arange(len(values))
    return Outlook(
        time=join.rows.time,
        row=np.zeros(1, np.int64),
        rule=np.array([one.rule for one in foreseen]),
        cells=np.concatenate(cells),
        start=np.array(starts),
        shape=np.array([one.tables[0].cells.shape for one in foreseen]),
        value=values,
        place=np.array([values if one.rule in (LINE, LAST) else ids for one in foreseen]),
        first=np.array([one.tables[0].first for one in foreseen]),
        line=np.array([[one.slope, one.intercept] for one in foreseen]),
        context_of_row=np.array(contexts) if has_contexts else np.zeros((2, 0), np.int32),
        lags=np.concatenate(lags),
        lag_bounds=np.array([0, len(lags[0]), len(lags[0]) + len(lags[1])]),
        last_key=np.zeros(2, np.int64),
        last_time=np.full(2, _NEVER),
        origin=np.zeros(2, np.int64),
        base=np.zeros(2, np.int64),
        past=new_counts(join.number_of_keys, join.rules.condition.kind),
        times=np.concatenate(times),
        bounds=bounds,
        condition=join.rules.condition,
        window=join.rules.window,
        has_window=join.has_window,
        alphas=alphas,
        limit=limit,
        choice=np.array([len(alphas) // 2 if adapts else 0]),
        lives=np.zeros(2),
        adapts=adapts,
        told=np.zeros(0, np.int32) if told is None else told,
        results=np.zeros(rows if notes_results else 0, np.int64),
        score=np.full(slots, np.inf),
        scored=np.full(1, -1),
        is_placed=evaluation == LOOKED_UP
        and all(one.rule not in (COUNTED, LISTED) for one in foreseen),
        evaluation=evaluation,
        exact=np.zeros(slots),
        growth=np.full(slots + 1, np.inf),
        then=np.zeros(5, np.int64),
        longest=longest_lifetimes(alphas),
    )


@inner
def _seen(outlook, memory, stream, key):
    row = outlook.row[0]
    outlook.row[0] = row + 1
    now = outlook.time[row]
    other = 1 - stream
    if len(outlook.results):
        outlook.results[row] = joining(memory.visible, outlook.condition, stream, key)
    if outlook.rule[other] == COUNTED:
        count(outlook.past, outlook.condition.kind, stream, key, 1)
    outlook.last_key[other] = key
    outlook.last_time[other] = now
    # Only the last arrival of a step decides where its candidates stand.
    if row + 1 == len(outlook.time) or outlook.time[row + 1] != now:
        if len(outlook.told):
            outlook.choice[0] = outlook.told[row]
        _move(outlook, 0, row, now)
        _move(outlook, 1, row, now)


@inner
def _move(outlook, stream, row, now):
    """Where a stream's tuples stand in their table from now on."""
    rule = outlook.rule[stream]
    context = 0
    if rule == LINE:
        line = floor(outlook.line[stream, 0] * now + outlook.line[stream, 1] + 0.5)
        outlook.origin[stream] = np.int64(line) + outlook.first[stream]
        if outlook.context_of_row.shape[1]:
            context = np.int64(outlook.context_of_row[stream, row])
    elif rule in (LAST, STATE):
        if outlook.last_time[stream] == _NEVER:
            outlook.base[stream] = -1
            return
        lag = now - outlook.last_time[stream]
        at = outlook.lag_bounds[stream]
        while outlook.lags[at] != lag:
            at += 1
        context = at - outlook.lag_bounds[stream]
        if rule == LAST:
            outlook.origin[stream] = outlook.value[outlook.last_key[stream]] + outlook.first[stream]
        else:
            context = context * len(outlook.value) + outlook.last_key[stream]
    size = outlook.shape[stream, 1] * outlook.shape[stream, 2]
    start = outlook.start[stream, outlook.choice[0]]
    outlook.base[stream] = start + context * size


@inner
def _score(outlook, memory, stream, key, since):
    rule, base = outlook.rule[stream], outlook.base[stream]
    if base < 0:
        return 0.0
    width, last = outlook.shape[stream, 2], outlook.shape[stream, 1] - 1
    rest = np.iinfo(np.int64).max
    if outlook.has_window:
        # In a window of tuples, an arrival may be out of it by the end of its own step.
        rest = max(0, since + outlook.window[stream] - memory.clock[stream])
    if rule == LISTED:
        return _listed(outlook, stream, key, rest)
    at = base
    if rule != COUNTED:
        at += min(max(outlook.place[stream, key] - outlook.origin[stream], 0), width - 1)
    if outlook.evaluation != LOOKED_UP:
        score = sum_of_terms(outlook.cells, at, width, min(last, rest))
        if outlook.evaluation == SUMMED:
            score = sure_score(score)
    else:
        score = outlook.cells[at + min(last, rest) * width]
    if rule == COUNTED:
        joined = joining(outlook.past, outlook.condition, stream, key)
        return joined * score / max(outlook.past.total[1 - stream], 1)
    return score


@inner
def _listed(outlook, stream, key, rest):
    """The defining sum over arrivals that are known."""
    condition = outlook.condition
    if condition.kind == EQUAL:
        return _sum_of_key(outlook, stream, np.int64(key), rest)
    total = 0.0
    low, high = 0, outlook.bounds.shape[1] - 1
    if condition.kind != UNEQUAL:
        low, high = condition.low[stream, key], condition.high[stream, key]
    for other in range(low, high):
        if condition.kind != UNEQUAL or other != key:
            total += _sum_of_key(outlook, stream, np.int64(other), rest)
    return total


@inner
def _sum_of_key(outlook, stream, key, rest):
    now = outlook.time[outlook.row[0] - 1]
    end = outlook.bounds[stream, key + 1]
    low, high = outlook.bounds[stream, key], end
    while low < high:
        middle = (low + high) >> 1
        if outlook.times[middle] > now:
            high = middle
        else:
            low = middle + 1
    alpha = outlook.alphas[outlook.choice[0]]
    total = 0.0
    while low < end:
        wait = outlook.times[low] - now
        if wait > rest or (alpha == 0 and wait > outlook.limit):
            break
        life = 1.0 if alpha == 0 else exp(-wait / alpha)
        if life < _NEGLIGIBLE * total:
            break
        total += life
        low += 1
    return total


@inner
def _look_up_all(outlook, memory):
    """Scores of all cached tuples; they stay the same until the next step."""
    if outlook.is_placed and not outlook.has_window:
        _look_up_places(outlook, memory)
        return
    if outlook.evaluation >= BY_TIME:
        _advance_all(outlook, memory)
        return
    for slot in range(len(memory.row)):
        if memory.row[slot] >= 0:
            stream, key, since = memory.stream[slot], memory.key[slot], memory.since[slot]
            outlook.score[slot] = _score(outlook, memory, stream, key, since)


@inner
def _look_up_places(outlook, memory):
    """What _score comes to where nothing but the place matters; kept in registers."""
    left, right = outlook.base[0], outlook.base[1]
    left_origin, right_origin = outlook.origin[0], outlook.origin[1]
    left_last, right_last = outlook.shape[0, 2] - 1, outlook.shape[1, 2] - 1
    for slot in range(len(memory.row)):
        if memory.row[slot] >= 0:
            stream = memory.stream[slot]
            place = outlook.place[stream, memory.key[slot]]
            place -= right_origin if stream else left_origin
            place = min(max(place, 0), right_last if stream else left_last)
            base = right if stream else left
            outlook.score[slot] = outlook.cells[np.uint64(base + place)] if base >= 0 else 0.0


@inner
def _advance_all(outlook, memory):
    """Scores from those of the last time, where there are any that are still good."""
    then, now = outlook.then, outlook.time[outlook.row[0] - 1]
    alpha, units = outlook.alphas[outlook.choice[0]], now - outlook.then[0]
    for slot in range(len(memory.row)):
        if memory.row[slot] >= 0:
            stream, key, since = memory.stream[slot], memory.key[slot], memory.since[slot]
            outlook.growth[slot] += units / alpha
            if outlook.growth[slot] <= MOST_GROWTH:
                width, last = outlook.shape[stream, 2], outlook.shape[stream, 1] - 1
                place = outlook.place[stream, key] - then[1 + stream]
                at = then[3 + stream] + min(max(place, 0), width - 1)
                passed = sum_of_terms(outlook.cells, at, width, min(last, units))
                outlook.exact[slot] = later(outlook.exact[slot], passed, units, alpha)
            else:
                outlook.exact[slot] = _score(outlook, memory, stream, key, since)
                outlook.growth[slot] = 0.0
            outlook.score[slot] = rounded(outlook.exact[slot])
    then[0] = now
    then[1], then[2] = outlook.origin[0], outlook.origin[1]
    then[3], then[4] = outlook.base[0], outlook.base[1]


@inner
def _score_of_arrival(outlook, memory, stream, key, row, since):
    """By the nearest cached tuple, if that is wanted and possible, else by the defining sum."""
    slope = np.int64(outlook.line[stream, 0])
    outlook.growth[-1] = 0.0
    if outlook.evaluation != BY_VALUE or slope == 0 or slope != outlook.line[stream, 0]:
        return _score(outlook, memory, stream, key, since)
    slot = np.int64(-1)
    if not outlook.has_window:
        slot = nearest(memory, outlook.place, stream, key, row, slope)
    alpha, units = outlook.alphas[outlook.choice[0]], np.int64(0)
    growth = np.inf
    if slot >= 0:
        units = (outlook.place[stream, memory.key[slot]] - outlook.place[stream, key]) // slope
        growth = outlook.growth[slot] + max(units, 0) / alpha
    if growth > MOST_GROWTH:
        return _score(outlook, memory, stream, key, since)
    outlook.growth[-1] = growth
    ahead = memory.key[slot] if units > 0 else key
    width, last = outlook.shape[stream, 2], outlook.shape[stream, 1] - 1
    place = outlook.place[stream, ahead] - outlook.origin[stream]
    at = outlook.base[stream] + min(max(place, 0), width - 1)
    terms = sum_of_terms(outlook.cells, at, width, min(last, abs(units)))
    if units > 0:
        return later(outlook.exact[slot], terms, units, alpha)
    return earlier(outlook.exact[slot], terms, -units, alpha)


@inner
def _worst(outlook, memory, part):
    if outlook.scored[0] != outlook.row[0]:
        outlook.scored[0] = outlook.row[0]
        _look_up_all(outlook, memory)
    # First the score, then who has it, since branches on scores could not be predicted.
    least = np.inf
    for slot in range(len(memory.row)):
        if part == BOTH or memory.stream[slot] == part:
            least = min(least, outlook.score[slot])
    lowest, earliest = NONE, np.int32(2**31 - 1)
    for slot in range(len(memory.row)):
        if outlook.score[slot] == least and (part == BOTH or memory.stream[slot] == part):
            row = memory.row[slot]
            if 0 <= row < earliest:
                lowest, earliest = np.uint32(slot), row
    return lowest


@inner
def _yields(outlook, memory, stream, key, row, since, slot):
    """An arrival goes only for a lower score: among equals it is the later one."""
    score = _score_of_arrival(outlook, memory, stream, key, row, since)
    if outlook.evaluation >= BY_TIME:
        score = rounded(score)
    return score < outlook.score[slot]


@inner
def _entered(outlook, memory, slot):
    if outlook.scored[0] == outlook.row[0]:
        stream, key, row = memory.stream[slot], memory.key[slot], memory.row[slot]
        since = memory.since[slot]
        score = _score_of_arrival(outlook, memory, stream, key, row, since)
        outlook.score[slot] = score
        if outlook.evaluation >= BY_TIME:
            outlook.score[slot], outlook.exact[slot] = rounded(score), score
            outlook.growth[slot] = outlook.growth[-1]


@inner
def _left(outlook, memory, slot):
    """Alpha follows the mean lifetime of all that have been in memory."""
    outlook.score[slot] = np.inf
    outlook.growth[slot] = np.inf
    if outlook.adapts:
        now = outlook.time[max(outlook.row[0] - 1, 0)]
        life = now - outlook.time[memory.row[slot]]
        outlook.choice[0] = alpha_after(outlook.lives, outlook.longest, life)


@entry_point
def replay_outlook(run, outlook):
    replay_join(run, outlook, _seen, _entered, _left, _worst, _yields)
