"""Objects ranked by the expected benefit of keeping them, looked up as references come.

    score(x) = H(x), the sum over waits of Pr{x is referenced for the first time then} * L(wait)

`models.chances.Foreseen` says how an object's place in its table moves. Scores change with every
reference, so the lowest is found by looking at all cached objects; among equals it is the least
recently referenced. Which alpha's table is used may differ from row to row.
"""

from math import floor
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.adapting import alpha_after, longest_lifetimes
from streamjoin_core.engine.caching import NOT_CACHED, CachingTask, References, replay_references
from streamjoin_core.engine.compiled import compiled, inner
from streamjoin_core.engine.facts import CachingFacts
from streamjoin_core.engine.next_use import next_use
from streamjoin_core.engine.sure import sure
from streamjoin_core.models.chances import COUNTED, LAST, LINE, LISTED, STATE, Foreseen
from streamjoin_core.models.life import Life


class Outlook(NamedTuple):
    rule: int
    cells: np.ndarray  # float64 [alpha, context, place]
    first: int  # the place of the first cell
    value: np.ndarray  # int64 [key]
    slope: float
    intercept: float
    time: np.ndarray  # int64 [row]
    context_of_row: np.ndarray  # int32 [row], or empty
    choice: np.ndarray  # int32 [row]: the alpha, or empty for one that need not change
    longest: np.ndarray  # float64 [alpha - 1]: lifetimes by which it adapts, or empty
    lives: np.ndarray  # float64 [2]: number and total of observed lifetimes
    score: np.ndarray  # float64 [key]: for COUNTED references so far, for LISTED minus the next use
    next_use: np.ndarray  # uint32 [row], for LISTED
    horizon: int  # rows after which a next use counts for nothing, for LISTED
    is_flat: bool  # whether all uses count the same, up to the horizon
    never_ends: bool  # whether they do for ever, so that whatever was seen is sure to be used
    now: np.ndarray  # int64 [4]: row, alpha, context and origin
    last_use: np.ndarray  # int64 [key]: row
    cached: np.ndarray  # uint32 [place]
    used: np.ndarray  # int64 [1]
    entered: np.ndarray  # int32 [key]: the loop's own
    hits: np.ndarray  # uint8 [row]: noted if not empty


def replay_foreseen(
    task: CachingTask,
    foreseen: Foreseen,
    life: Life,
    *,
    choice: np.ndarray | None = None,
    adapts: np.ndarray | None = None,
    hits: np.ndarray | None = None,
) -> CachingFacts:
    """One replay; `choice` has each row's alpha, or of the alphas in `adapts` one is in charge by
    the mean lifetime observed; `hits` is filled with what was hit."""
    references = task.references()
    values = task.trace.key_values
    none = np.zeros(0, np.int32)
    is_listed = foreseen.rule == LISTED
    outlook = Outlook(
        rule=foreseen.rule,
        cells=sure(np.stack([table.cells[:, 0] for table in foreseen.tables])),
        first=foreseen.tables[0].first,
        value=values if values.dtype == np.int64 else np.zeros(len(values), np.int64),
        slope=foreseen.slope,
        intercept=foreseen.intercept,
        time=task.trace.time,
        context_of_row=none if foreseen.context_of_row is None else foreseen.context_of_row,
        choice=none if choice is None else choice,
        longest=np.zeros(0) if adapts is None else longest_lifetimes(adapts),
        lives=np.zeros(2),
        score=np.zeros(task.number_of_keys),
        next_use=next_use(task.keys, task.number_of_keys) if is_listed else none.view(np.uint32),
        horizon=life.limit if life.kind == "fixed" else task.rows + 1,
        is_flat=life.kind in ("fixed", "inf"),
        never_ends=life.kind == "inf",
        now=np.array([0, 0 if adapts is None else len(adapts) // 2, 0, 0]),
        last_use=np.zeros(task.number_of_keys, np.int64),
        cached=np.zeros(max(1, task.slots), np.uint32),
        used=np.zeros(1, np.int64),
        entered=references.entered,
        hits=none.astype(np.uint8) if hits is None else hits,
    )
    return task.facts(_replay(references, outlook))


@inner
def _refer(outlook, key, row):
    if len(outlook.hits):
        outlook.hits[row] = outlook.entered[key] != NOT_CACHED
    outlook.last_use[key] = row
    now = outlook.now
    now[0] = row
    if len(outlook.choice):
        now[1] = outlook.choice[row]
    if outlook.rule == LINE:
        line = floor(outlook.slope * outlook.time[row] + outlook.intercept + 0.5)
        now[3] = np.int64(line) + outlook.first
        now[2] = np.int64(outlook.context_of_row[row]) if len(outlook.context_of_row) else 0
    elif outlook.rule == LAST:
        now[3] = outlook.value[key] + outlook.first
    elif outlook.rule == STATE:
        now[2] = np.int64(key)
    elif outlook.rule == COUNTED:
        outlook.score[key] += 1
    elif outlook.rule == LISTED:
        outlook.score[key] = -np.float64(outlook.next_use[row])


@inner
def _score(outlook, key):
    rule, now = outlook.rule, outlook.now
    if rule == COUNTED:
        return 1.0 if outlook.never_ends else outlook.score[key]
    if rule == LISTED:
        score = outlook.score[key]
        is_used = -score < len(outlook.time) and -score <= now[0] + outlook.horizon
        if not is_used:
            return -np.inf
        return 1.0 if outlook.is_flat else score
    if rule in (LINE, LAST):
        place = outlook.value[key] - now[3]
        return outlook.cells[now[1], now[2], min(max(place, 0), outlook.cells.shape[2] - 1)]
    return outlook.cells[now[1], now[2], key]


@inner
def _enter(outlook, key, row):
    outlook.cached[outlook.used[0]] = key
    outlook.used[0] += 1


@inner
def _replace(outlook, key, row):
    """The lowest of the cached and the new one, which is the most recently referenced."""
    lowest, place = key, -1
    least = _score(outlook, key)
    for at in range(outlook.used[0]):
        other = outlook.cached[at]
        score = _score(outlook, other)
        if score < least or (score == least and outlook.last_use[other] < outlook.last_use[lowest]):
            lowest, least, place = other, score, at
    if place >= 0:
        outlook.cached[place] = key
        if len(outlook.longest):
            life = outlook.time[row] - outlook.time[outlook.entered[lowest]]
            outlook.now[1] = alpha_after(outlook.lives, outlook.longest, life)
    return lowest


@compiled
def _replay(references: References, outlook: Outlook):
    return replay_references(references, outlook, _refer, _enter, _replace)
