"""What the processor may do: which arrivals probe and enter, and a purse that pays for it.

Meeting a partner in memory costs `production`, and entering memory costs `update`, which pays for
leaving it, too. The purse is a token bucket: `rate` flows in per unit of time, up to `burst`, with
which it starts. What it cannot pay is not done, so over any time the cost is at most
burst + rate * time.

If results are sampled (`Sample`), a tuple draws which of its meetings give a result: each does with
the same chance, so it draws the gap to the next one. It has a number of meetings to expect; when
the next one drawn lies beyond them it leaves, or never enters.
"""

from math import floor, log
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.chance import next_word
from streamjoin_core.engine.compiled import inner

PROBES, ENTERS = 1, 2
NOTHING = 0  # in place of the number of a tuple's next result, when it has no more
_BITS_DROPPED = np.uint64(11)
_UNIT = 2.0**-53
_FARTHEST = 2.0**31  # a gap beyond all meetings


class Sample(NamedTuple):
    """Which results are drawn; arrays are empty unless they are."""

    expected: np.ndarray  # float64 [stream, key]: meetings that a tuple has before its window ends
    log_of_failure: float  # log(1 - chance of a result)
    pays_per_result: bool  # whether a meeting without a result costs nothing
    next: np.ndarray  # int32 [slot]: the number of the next meeting that gives a result
    last: np.ndarray  # int32 [slot]: the number of the last meeting to expect
    drawn: np.ndarray  # int32 [2]: next and last of the arrival that is about to enter
    importance: np.ndarray  # float64 [1]: of the results that an arrival has just given
    chance: np.ndarray


class Work(NamedTuple):
    """The work that is allowed and done; without a limit all arrays are empty."""

    wanted: np.ndarray  # uint8 [row]: PROBES and ENTERS, as far as the strategy wants them
    update: float
    production: float
    rate: float
    burst: float
    purse: np.ndarray  # float64 [1]
    spent: np.ndarray  # float64 [row]
    passed: np.ndarray  # int32 [row]: partners in memory that the strategy lets pass
    unpaid: np.ndarray  # int32 [row]: partners in memory that the purse could not pay for
    lost: np.ndarray  # int32 [row]: results that its own leaving cost
    sample: Sample


_NO_NUMBERS = np.empty(0, np.int32)
NO_SAMPLE = Sample(
    np.empty((2, 0)),
    -1.0,
    False,
    *(_NO_NUMBERS, _NO_NUMBERS, _NO_NUMBERS),
    np.empty(0),
    np.empty(0, np.uint64),
)
UNLIMITED_WORK = Work(
    np.empty(0, np.uint8),
    *(0.0, 0.0, 0.0, 0.0),
    *(np.empty(0), np.empty(0)),
    *(_NO_NUMBERS, _NO_NUMBERS, _NO_NUMBERS),
    NO_SAMPLE,
)


def new_work(
    wanted: np.ndarray,
    *,
    update: float,
    production: float,
    rate: float,
    burst: float,
    sample: Sample = NO_SAMPLE,
) -> Work:
    """Nothing done yet, and a full purse."""
    rows = len(wanted)
    return Work(
        wanted,
        *(float(update), float(production), float(rate), float(burst)),
        np.array([float(burst)]),
        np.zeros(rows),
        *(np.zeros(rows, np.int32) for _ in range(3)),
        sample,
    )


@inner
def earn(work, time):
    """Fill the purse with what flows in over some time."""
    work.purse[0] = min(work.burst, work.purse[0] + work.rate * time)


@inner
def pay(work, row, cost):
    work.purse[0] -= cost
    work.spent[row] += cost


@inner
def affordable(work, number):
    """How many of so many meetings the purse can pay for."""
    if work.production * number <= work.purse[0]:
        return number
    return np.int64(floor(work.purse[0] / work.production))


@inner
def draw_gap(sample):
    """How many meetings on the next result is: geometric, at least 1."""
    word = next_word(sample.chance) >> _BITS_DROPPED
    uniform = (np.float64(word) + 1.0) * _UNIT
    gap = log(uniform) / sample.log_of_failure
    return np.int64(1 + floor(gap)) if gap < _FARTHEST else np.int64(_FARTHEST)


@inner
def draw_first(sample, stream, key):
    """Draw an arrival's first result; returns whether there is one to expect.

    A number of meetings that is not whole is rounded up with the chance of its fraction.
    """
    expected = sample.expected[stream, key]
    whole = floor(expected)
    word = next_word(sample.chance) >> _BITS_DROPPED
    last = np.int64(whole) + (1 if np.float64(word) * _UNIT < expected - whole else 0)
    first = draw_gap(sample)
    sample.drawn[0] = min(first, last + 1)  # which fits
    sample.drawn[1] = last
    return first <= last
