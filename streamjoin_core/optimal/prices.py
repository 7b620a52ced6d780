"""What memory is worth: an upper bound on what any schedule gains, from a price for each step.

Let a slot cost price[s] from step s to step s + 1, and let every tuple rent one for as long as that
pays: its surplus is the largest gain less rent. Then no schedule gains more than

    memory * (sum of prices) + (sum of all surpluses)

as each tuple's gain is at most its rent plus its surplus, and no more slots are rented at any step
than there are. That holds for all prices that are not negative; those of the best flow make it
equal to the optimum. Nothing here knows how they were found.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.condition import EQUAL
from streamjoin_core.engine.joining import Join
from streamjoin_core.engine.rules import Rows, Rules
from streamjoin_core.errors import InputError
from streamjoin_core.optimal.benefit import Benefit, weigh
from streamjoin_core.optimal.pairs import (
    Waiting,
    meet,
    nobody_waits,
    sort_by_key,
    start_waiting,
    stop_waiting,
)
from streamjoin_core.optimal.walk import new_clock, step_starts, walk

_LARGEST_RENT = 2.0**62


def upper_bound(
    join: Join, benefit: Benefit, mem: int, prices: np.ndarray, streams: tuple[int, ...] = (0, 1)
) -> int:
    """In units of benefit, for a memory part of this size that holds tuples of these streams."""
    surplus = surpluses(join, benefit, prices)[np.isin(join.rows.stream, streams)]
    return mem * int(prices.sum()) + int(surplus.sum())


def surpluses(join: Join, benefit: Benefit, prices: np.ndarray) -> np.ndarray:
    """Each row's surplus in units, at prices (int64, in units) for the time after each step."""
    _check(prices, len(step_starts(join.rows.time)) - 1)
    rent = np.concatenate(([0], np.cumsum(prices)))
    surplus = np.zeros(len(join.rows.time), np.int64)
    rows, rules = join.rows, join.rules
    if benefit.is_equal_for_all and rules.condition.kind == EQUAL:
        _rent_by_key(rows, rules, new_clock(), _new_chains(join, rent, surplus))
    else:
        nobody = nobody_waits(join)
        gained, entered = np.zeros(len(surplus), np.int64), np.zeros(len(surplus), np.int64)
        tenants = _Tenants(rows, rules, nobody, benefit.scale, rent, gained, entered, surplus)
        _rent_by_pair(rows, rules, new_clock(), tenants)
    return surplus


def _check(prices: np.ndarray, steps: int) -> None:
    if prices.shape != (steps,) or prices.dtype != np.int64:
        raise InputError(f"prices must be {steps} whole numbers, one for each step")
    if prices.min(initial=0) < 0 or prices.sum(dtype=float) >= _LARGEST_RENT:
        raise InputError("prices must not be negative, nor too large to add up")


class _Tenants(NamedTuple):
    """Who rents, where each pair is looked at."""

    rows: Rows
    rules: Rules
    waiting: Waiting
    scale: float
    rent: np.ndarray  # int64 [step]: from the first step on
    gained: np.ndarray  # int64 [row]
    entered: np.ndarray  # int64 [row]: the rent at its arrival
    surplus: np.ndarray  # int64 [row]


@inner
def _gain(state, row, partner, step):
    state.gained[row] += weigh(state.rows, state.rules, state.scale, row, partner)
    paid = state.rent[step] - state.entered[row]
    state.surplus[row] = max(state.surplus[row], state.gained[row] - paid)


@inner
def _probe(state, row, step):
    meet(state, row, step, _gain)


@inner
def _wait(state, row, step):
    state.entered[row] = state.rent[step]
    start_waiting(state, row, step)


@entry_point
def _rent_by_pair(rows, rules, clock, state):
    walk(rows, rules, clock, state, stop_waiting, _probe, _wait)


class _Chains(NamedTuple):
    """Tuples of one stream and key, which all gain 1 when an arrival meets them.

    Whoever is there at a meeting has gained the number of meetings since its arrival. So its
    surplus is the largest (meetings - rent) in its window, less what that was at its arrival. Of
    two meetings the later one is better for all if it has more of that. Those with no better one
    after them are kept, in a queue for each stream and key, with the best in front; who comes after
    a meeting is interested in later ones only.
    """

    rows: Rows
    rent: np.ndarray  # int64 [step]: from the first step on
    met: np.ndarray  # int64 [stream, key]: meetings so far
    front: np.ndarray  # int64 [stream, key]: of the queue
    back: np.ndarray  # int64 [stream, key]: likewise
    meeting: np.ndarray  # int64 [place]: meetings less rent
    meeting_step: np.ndarray  # int32 [place]
    arrival: np.ndarray  # int64 [row]: meetings less rent
    arrival_step: np.ndarray  # int32 [row]
    surplus: np.ndarray  # int64 [row]


def _new_chains(join: Join, rent: np.ndarray, surplus: np.ndarray) -> _Chains:
    _, starts = sort_by_key(join)
    # There is room for the meetings of a stream with a key where the other stream's rows would be.
    places = starts[:-1].reshape(2, join.number_of_keys)[::-1].copy()
    number = len(surplus)
    return _Chains(
        rows=join.rows,
        rent=rent,
        met=np.zeros_like(places),
        front=places,
        back=places.copy(),
        meeting=np.empty(number, np.int64),
        meeting_step=np.empty(number, np.int32),
        arrival=np.empty(number, np.int64),
        arrival_step=np.empty(number, np.int32),
        surplus=surplus,
    )


@inner
def _move_out(state, row, start):
    stream, key = state.rows.stream[row], state.rows.key[row]
    front, back = state.front[stream, key], state.back[stream, key]
    while front < back and state.meeting_step[front] <= state.arrival_step[row]:
        front += 1
    state.front[stream, key] = front
    if front < back:
        state.surplus[row] = max(0, state.meeting[front] - state.arrival[row])


@inner
def _meet_chain(state, row, step):
    stream, key = 1 - state.rows.stream[row], state.rows.key[row]
    state.met[stream, key] += 1
    value = state.met[stream, key] - state.rent[step]
    back = state.back[stream, key]
    while back > state.front[stream, key] and state.meeting[back - 1] <= value:
        back -= 1
    state.meeting[back] = value
    state.meeting_step[back] = step
    state.back[stream, key] = back + 1


@inner
def _move_in(state, row, step):
    stream, key = state.rows.stream[row], state.rows.key[row]
    state.arrival[row] = state.met[stream, key] - state.rent[step]
    state.arrival_step[row] = step


@entry_point
def _rent_by_key(rows, rules, clock, state):
    walk(rows, rules, clock, state, _move_out, _meet_chain, _move_in)
