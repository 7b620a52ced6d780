"""Candidates ranked by what they may expect to gain, looked up in tables as time goes on.

    score(x) = H(x), the sum over waits of Pr{an arrival of B joins x then} * L(wait)

`models.chances.Foreseen` says how a tuple's place in its table moves. Scores drift with every step,
so the lowest is found by looking at all candidates. Alpha may follow the lifetimes that are
observed: then there is a table for each alpha of a list.
"""

from math import exp, floor
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.ageing import nothing_moves
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
from streamjoin_core.engine.joining import JoinTask
from streamjoin_core.engine.loop import BOTH, replay_join
from streamjoin_core.engine.memory import NONE
from streamjoin_core.models.chances import COUNTED, LAST, LINE, LISTED, STATE, Foreseen

_NEVER = np.iinfo(np.int64).min
_NEGLIGIBLE = 1e-18


class Outlook(NamedTuple):
    """Per stream, how its tuples' scores are found; arrays of two streams stand one after another.

    A score is cells[base + remaining * width + place - first - origin], the last two cut to the
    table.
    """

    time: np.ndarray  # int64 [row]
    row: np.ndarray  # int64 [1]: the next arrival to be seen
    rule: np.ndarray  # int64 [stream]
    cells: np.ndarray  # float64: all tables, and one zero in front
    start: np.ndarray  # int64 [stream, alpha]: where a table begins
    shape: np.ndarray  # int64 [stream, (contexts, remaining times, places)]
    place: np.ndarray  # int64 [key]: the key's value, for LINE and LAST
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
    longest: np.ndarray  # float64 [alpha - 1]: mean lifetimes up to which each alpha is the one


def new_outlook(
    task: JoinTask, foreseen: list[Foreseen], alphas: np.ndarray, limit: int, adapts: bool
) -> Outlook:
    join = task.join
    rows = len(join.rows.time)
    cells, starts = [np.zeros(1)], []
    at = 1
    for one in foreseen:
        starts.append([])
        for table in one.tables:
            starts[-1].append(at)
            cells.append(table.cells.ravel())
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
    lifetimes = 1 / -np.expm1(-1 / np.maximum(alphas, 1e-3))
    return Outlook(
        time=join.rows.time,
        row=np.zeros(1, np.int64),
        rule=np.array([one.rule for one in foreseen]),
        cells=np.concatenate(cells),
        start=np.array(starts),
        shape=np.array([one.tables[0].cells.shape for one in foreseen]),
        place=values if values.dtype == np.int64 else np.zeros(len(values), np.int64),
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
        longest=np.sqrt(lifetimes[1:] * lifetimes[:-1]),
    )


@inner
def _seen(outlook, memory, stream, key):
    row = outlook.row[0]
    outlook.row[0] = row + 1
    now = outlook.time[row]
    other = 1 - stream
    if outlook.rule[other] == COUNTED:
        count(outlook.past, outlook.condition.kind, stream, key, 1)
    outlook.last_key[other] = key
    outlook.last_time[other] = now
    # Only the last arrival of a step decides where its candidates stand.
    if row + 1 == len(outlook.time) or outlook.time[row + 1] != now:
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
            outlook.origin[stream] = outlook.place[outlook.last_key[stream]] + outlook.first[stream]
        else:
            context = context * len(outlook.place) + outlook.last_key[stream]
    size = outlook.shape[stream, 1] * outlook.shape[stream, 2]
    start = outlook.start[stream, outlook.choice[0]]
    outlook.base[stream] = start + context * size


@inner
def _score(outlook, memory, stream, key, since):
    rule = outlook.rule[stream]
    base, width = outlook.base[stream], outlook.shape[stream, 2]
    if base < 0:
        return 0.0
    remaining = outlook.shape[stream, 1] - 1
    if outlook.has_window:
        # In a window of tuples, an arrival may be out of it by the end of its own step.
        rest = since + outlook.window[stream] - memory.clock[stream]
        remaining = max(0, min(remaining, rest))
    at = base + remaining * width
    if rule in (LINE, LAST):
        place = outlook.place[key] - outlook.origin[stream]
        return outlook.cells[at + min(max(place, 0), width - 1)]
    if rule == COUNTED:
        joined = joining(outlook.past, outlook.condition, stream, key)
        arrivals = outlook.past.total[1 - stream]
        return joined * outlook.cells[at] / max(arrivals, 1)
    if rule == LISTED:
        rest = np.iinfo(np.int64).max
        if outlook.has_window:
            rest = since + outlook.window[stream] - memory.clock[stream]
        return _listed(outlook, stream, key, rest)
    return outlook.cells[at + np.int64(key)]


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
def _worst(outlook, memory, part):
    lowest, least = NONE, 0.0
    row_of_lowest = np.int32(0)
    for slot in range(len(memory.row)):
        row, stream = memory.row[slot], memory.stream[slot]
        if row < 0 or (part != BOTH and stream != part):
            continue
        score = _score(outlook, memory, stream, memory.key[slot], memory.since[slot])
        if lowest == NONE or score < least or (score == least and row < row_of_lowest):
            lowest, least, row_of_lowest = np.uint32(slot), score, row
    return lowest


@inner
def _yields(outlook, memory, stream, key, row, since, slot):
    """An arrival goes only for a lower score: among equals it is the later one."""
    own = _score(outlook, memory, stream, key, since)
    other = memory.stream[slot]
    return own < _score(outlook, memory, other, memory.key[slot], memory.since[slot])


@inner
def _left(outlook, memory, slot):
    """Alpha follows the mean lifetime of all that have been in memory."""
    if outlook.adapts:
        now = outlook.time[max(outlook.row[0] - 1, 0)]
        outlook.lives[0] += 1
        outlook.lives[1] += now - outlook.time[memory.row[slot]]
        mean = outlook.lives[1] / outlook.lives[0]
        choice = 0
        while choice < len(outlook.longest) and mean > outlook.longest[choice]:
            choice += 1
        outlook.choice[0] = choice


@entry_point
def replay_outlook(run, outlook):
    replay_join(run, outlook, _seen, nothing_moves, _left, _worst, _yields)
