"""What a stream's model says of its arrivals in the next time units, as tables for compiled code.

Probabilities are whole numbers of small units (`one` of them is certainty), so that equal sums of
them are equal. Four kinds cover all models:

    LEARNT   past frequencies, counted while replaying (empirical, or no model)
    FIXED    a chance per key (stationary)
    COMING   the trace itself (offline)
    TABLED   a row of chances of consecutive integers, and where it starts (trend, walk, ar1)
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.condition import EQUAL, UNEQUAL, find_condition
from streamjoin_core.engine.joining import Join
from streamjoin_core.errors import InputError
from streamjoin_core.models.given import read_entry
from streamjoin_core.models.known import entries_by_stream, joining_probability
from streamjoin_core.models.stationary import check_pmf, typed_keys

LEARNT, FIXED, COMING, TABLED = range(4)
TREND, WALK, CHAIN = range(3)

_MOST_CELLS = 2 * 10**7
_LARGEST_KEY = 2**60
_TABLED = {"trend": TREND, "walk": WALK, "ar1": CHAIN}


class Outlook(NamedTuple):
    """One stream's; arrays that its kind does not need are empty."""

    kind: int
    process: int  # of a TABLED one
    by_key: np.ndarray  # int64 [key]: FIXED: chance to join a tuple of the other stream
    support: np.ndarray  # int64 [i]: FIXED: the integers that may arrive, if keys are such
    weight: np.ndarray  # float64 [i]: their probabilities
    below: np.ndarray  # int64 [row, place]: TABLED: chance of a place below
    first: np.ndarray  # int64 [row]: value of place 0, less the line or the last value
    slope: float
    intercept: float


class _Table(NamedTuple):
    first: list[int]
    chances: list[np.ndarray]


def find_outlooks(join: Join, model: dict | None, lookahead: int, one: float) -> tuple:
    """The outlooks of the left and the right stream."""
    entries = entries_by_stream(join.trace.labels, model or {})
    entries += [{}] * (2 - len(entries))
    return tuple(_outlook(join, s, entries[s], lookahead, one) for s in range(2))


def _outlook(join: Join, stream: int, entry: dict, lookahead: int, one: float) -> Outlook:
    kind = entry.get("kind", "empirical")
    none = np.empty(0, np.int64)
    made = Outlook(LEARNT, TREND, none, none, none * 1.0, none.reshape(0, 0), none, 0.0, 0.0)
    if kind == "offline":
        return made._replace(kind=COMING)
    if kind == "stationary":
        by_key = np.rint(joining_probability(join, 1 - stream, entry) * one).astype(np.int64)
        support, weight = none, none * 1.0
        if join.trace.key_values.dtype == np.int64:
            pmf = typed_keys(check_pmf(entry), join.trace)
            support, weight = np.array(list(pmf), np.int64), np.array(list(pmf.values()), float)
        return made._replace(kind=FIXED, by_key=by_key, support=support, weight=weight)
    if kind == "empirical":
        return made
    _refuse_other_keys(join, kind)
    process = read_entry(entry)
    if kind == "trend":
        first, weights = process.noise()
        below, firsts = _cumulated(_Table([first], [weights / process.total]), one)
        slope, intercept = process.slope, process.intercept
        return made._replace(
            kind=TABLED, below=below, first=firsts, slope=slope, intercept=intercept
        )
    ahead = lookahead + longest_silence(join.rows.time, join.rows.stream, stream)
    table = _walk_table(process, ahead, one) if kind == "walk" else _chain(process, join, ahead)
    below, firsts = _cumulated(table, one)
    return made._replace(kind=TABLED, process=_TABLED[kind], below=below, first=firsts)


def _refuse_other_keys(join: Join, kind: str) -> None:
    keys = join.trace.key_values
    if keys.dtype != np.int64:
        raise InputError(
            f"a {kind} model needs keys that are whole numbers: give a stationary, an empirical or "
            "an offline one"
        )
    if len(keys) and max(-int(keys[0]), int(keys[-1])) > _LARGEST_KEY:
        raise InputError(f"a {kind} model needs keys within 2^60 of 0")


def longest_silence(time: np.ndarray, stream: np.ndarray, of: int) -> int:
    """The most time units between any step and the stream's last arrival before it."""
    arrivals = time[stream == of]
    if len(arrivals) == 0:
        return 0
    later = time[time >= arrivals[0]]
    return int((later - arrivals[np.searchsorted(arrivals, later, "right") - 1]).max())


def _walk_table(walk, ahead: int, one: float) -> _Table:
    """A row per number of steps; what rounds to nothing is cut off at both ends."""
    first, step = walk.step()
    table = _Table([0], [np.ones(1)])
    start, mass = 0, np.ones(1)
    for steps in range(1, ahead + 1):
        start, mass = start + first, np.convolve(mass, step)
        kept = np.flatnonzero(mass * one >= 1e-6)  # far below what rounding sees
        start, mass = start + int(kept[0]), mass[kept[0] : kept[-1] + 1]
        table.first.append(start)
        table.chances.append(mass)
        _refuse_too_many(len(mass) * (ahead + 1), "walk", steps)
    return table


def _chain(chain, join: Join, ahead: int) -> _Table:
    """A row per number of steps and last value: row steps * keys + key."""
    keys = join.trace.key_values
    if len(keys) == 0:
        return _Table([], [])
    states = chain.states(int(keys[0]), int(keys[-1]))
    _refuse_too_many(len(keys) * len(states) * (ahead + 1), "ar1", ahead)
    mass = (states[None, :] == keys[:, None]).astype(float)
    matrix = chain.matrix(states)
    rows = [mass]
    for _ in range(ahead):
        rows.append(rows[-1] @ matrix)
    chances = list(np.concatenate(rows))
    return _Table([int(states[0])] * len(chances), chances)


def _refuse_too_many(cells: int, kind: str, steps: int) -> None:
    if cells > _MOST_CELLS:
        raise InputError(
            f"a {kind} model {steps} time units ahead takes {cells} probabilities, of at most "
            f"{_MOST_CELLS}: give time in a coarser unit, or a smaller lookahead"
        )


def _cumulated(table: _Table, one: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows of chances below each place; short rows are continued with what is below their end."""
    width = max(map(len, table.chances), default=0)
    below = np.zeros((len(table.chances), width + 1), np.int64)
    for row, chances in enumerate(table.chances):
        below[row, 1 : len(chances) + 1] = np.rint(chances * one)
    return below.cumsum(axis=1), np.array(table.first, np.int64)


def chance_of_meeting(join: Join, model: dict | None) -> float:
    """The probability that arrivals of two stationary streams join; 0 where one is not."""
    entries = entries_by_stream(join.trace.labels, model or {})
    if len(entries) < 2 or any(entry.get("kind") != "stationary" for entry in entries):
        return 0.0
    left, right = (typed_keys(check_pmf(entry), join.trace) for entry in entries)
    keys = sorted({*left, *right})
    values = np.array(keys, join.trace.key_values.dtype)
    own, other = (np.array([pmf.get(key, 0.0) for key in keys]) for pmf in (left, right))
    condition = find_condition(values, join.on, join.band)
    if condition.kind == EQUAL:
        return float(own @ other)
    if condition.kind == UNEQUAL:
        return float(own.sum() * other.sum() - own @ other)
    below = np.concatenate([[0.0], np.cumsum(other)])
    return float(own @ (below[condition.high[0]] - below[condition.low[0]]))
