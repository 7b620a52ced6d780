"""Tables of HEEB: what a tuple may expect to gain, looked up instead of summed up.

    H(x) = sum over wait >= 1 of Pr{an arrival of B joins x after `wait`} * L(wait)

depends on little else than where the tuple stands in B's process: for a trend on the distance from
the line (corollary 5), for a random walk on the distance from the last value (theorem 3, h1), for
AR(1) on the two values (h2), for a stationary process on the key. So it is computed once, here, and
the engine looks it up. A table has three axes: the context, the remaining time in the window (one
entry without a window), and the place of the tuple's key. Beyond its ends a table is constant.

After J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005, section 6.1,
and J. Xie's dissertation (2005), appendix A.14.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor, fsum, inf, isfinite

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.models.life import Life
from streamjoin_core.trace.trace import Trace

_MOST_CELLS = 60_000_000  # 480 MB of doubles


@dataclass(frozen=True, eq=False)
class Table:
    """H by context, remaining time and place; the place of a key is counted from `first`."""

    cells: np.ndarray  # float64 [context, remaining, place]
    first: int

    def at(self, place: np.ndarray, context: int = 0, remaining: int = -1) -> np.ndarray:
        """H at some places, for who wants to look at it."""
        index = np.clip(np.asarray(place) - self.first, 0, self.cells.shape[2] - 1)
        return self.cells[context, remaining, index]


@dataclass(frozen=True)
class Reach:
    """Which values of B join a tuple of value v: those from v + low to v + high, or all others."""

    low: float
    high: float
    is_inverted: bool = False

    def spread(self, mass: np.ndarray, first: int) -> "Joining":
        """How much of a mass over integers from `first` on joins a tuple, by the tuple's value.

        All sums are of positive terms, from the thin end where there is one, since far from a
        process the smallest chances still rank tuples.
        """
        if self.high == inf:
            joins = np.append(np.cumsum(mass[::-1])[::-1], 0.0)
            found = Joining(joins, first - self.low, joins[0], 0.0)
        elif self.low == -inf:
            joins = np.concatenate(([0.0], np.cumsum(mass)))
            found = Joining(joins, first - 1 - self.high, 0.0, joins[-1])
        elif self.low == self.high == 0:
            found = Joining(mass, first, 0.0, 0.0)
        else:
            joins = _sums_of_neighbours(mass, max(0, int(self.high - self.low) + 1))
            found = Joining(joins, first - int(self.high), 0.0, 0.0)
        if not self.is_inverted:
            return found
        total = mass.sum()
        return Joining(total - found.chance, found.first, total, total)


@dataclass(frozen=True, eq=False)
class Joining:
    """The chance of joining by the tuple's value, from `first` on, and beyond both ends."""

    chance: np.ndarray
    first: int
    below: float
    above: float

    def at(self, values: np.ndarray) -> np.ndarray:
        framed = np.concatenate(([self.below], self.chance, [self.above]))
        return framed[np.clip(values - self.first + 1, 0, len(framed) - 1)]


def _sums_of_neighbours(mass: np.ndarray, width: int) -> np.ndarray:
    """Sums of so many neighbours, each rounded once: mirror images must tie as numbers."""
    values = mass.tolist()
    places = range(len(values) + max(width, 1) - 1)
    return np.array([fsum(values[max(0, at - width + 1) : at + 1]) for at in places])


def reach_of(stream: int, on: str, band: tuple | None) -> Reach:
    """What joins a tuple of a stream, as distances from its own value; keys are integers."""
    if band is not None:
        low = ceil(band[0]) if isfinite(band[0]) else band[0]
        high = floor(band[1]) if isfinite(band[1]) else band[1]
        return Reach(low, high) if stream == 0 else Reach(-high, -low)
    if on in ("=", "!="):
        return Reach(0, 0, on == "!=")
    if stream == 1:  # key_R < key_S is key_S > key_R
        on = on.translate(str.maketrans("<>", "><"))
    low, high = {"<": (1, inf), "<=": (0, inf), ">=": (-inf, 0), ">": (-inf, -1)}[on]
    return Reach(low, high)


def check_size(cells: int, what: str) -> None:
    if cells > _MOST_CELLS:
        raise InputError(
            f"{what} would need a table of {cells:,} numbers: give a shorter --window, a smaller "
            "--alpha or --life fixed:STEPS, or keys in a coarser unit"
        )


def accumulated(terms: Callable, waits: int, ask: "Ask", depth: int | None, places: int):
    """Sum terms(wait) at each place; with a depth, the sums up to every remaining time.

    If the terms themselves are asked for, they are given in place of the sums. What a sum loses in
    rounding is kept and added in the end (Neumaier), so that equal terms in another order, as
    those of mirror images are, come to an equal number.
    """
    running, lost = np.zeros(places), np.zeros(places)

    def add(term):
        nonlocal running, lost
        added = running + term
        larger, smaller = np.maximum(running, term), np.minimum(running, term)
        lost = lost + ((larger - added) + smaller)
        running = added

    if depth is None:
        for wait in range(1, waits + 1):
            add(terms(wait))
        return (running + lost)[None]
    sums = np.zeros((depth + 1, places))
    for wait in range(depth + 1):
        if 1 <= wait <= waits:
            term = terms(wait)
            add(term)
            sums[wait] = term if ask.wants_terms else running + lost
        elif not ask.wants_terms:
            sums[wait] = running + lost
    return sums


# How the engine finds a tuple's place and context in a table, as time goes on.
FIXED, LINE, LAST, STATE, COUNTED, LISTED = range(6)


@dataclass(frozen=True, eq=False)
class Foreseen:
    """What one stream's tuples may expect of the other stream B, as the engine looks it up.

    The place of a tuple is its key's value, or with FIXED and STATE its key's id, minus an origin:
    with LINE the line's value now, with LAST B's last value. The context is that of the row
    (LINE), or that of the units of time since B's last arrival (LAST, STATE), of which each has
    one context, or with STATE one for each key id that B's last value can be. With COUNTED, the
    table has sums of L, and the past frequency of what joins takes the place of a probability; with
    LISTED there is no table, but the times at which each key arrives on B.
    """

    rule: int
    tables: list[Table]  # one for each life function, all of one shape
    slope: float = 0.0  # of the line
    intercept: float = 0.0
    context_of_row: np.ndarray | None = None  # int32; None where there is one context
    lags: np.ndarray | None = None  # int64, ascending: the units of time since B's last arrival
    times: np.ndarray | None = None  # int64: B's arrivals, key by key
    bounds: np.ndarray | None = None  # int64 [key + 1]: where each key's begin


@dataclass(frozen=True, eq=False)
class Ask:
    """What a model is asked for: the chances of a stream's tuples to join arrivals of B."""

    trace: Trace
    stream: int  # whose tuples they are; B is the other one
    lives: tuple[Life, ...]
    on: str
    band: tuple | None
    window: int | None  # None: the tuples wait for ever
    is_caching: bool = False  # then B, the references, also tells which tuples there are
    wants_terms: bool = False  # tables of the defining sum's terms, for who adds them up himself

    @property
    def own(self) -> np.ndarray:
        """Which rows bring the tuples."""
        return (
            np.full(len(self.trace), True) if self.is_caching else self.trace.stream == self.stream
        )

    @property
    def others(self) -> np.ndarray:
        """Which rows are arrivals of B."""
        return (
            np.full(len(self.trace), True) if self.is_caching else self.trace.stream != self.stream
        )

    @property
    def reach(self) -> Reach:
        return reach_of(self.stream, self.on, self.band)

    @property
    def values(self) -> np.ndarray:
        """The keys as integers, in order of their ids."""
        values = self.trace.key_values
        if values.dtype != np.int64:
            raise InputError(
                "trends, walks and ar1 models are over whole numbers, but the keys of "
                f"{self.trace.origin} are not: give a stationary, empirical or offline model"
            )
        return values

    def depth(self, waits: float) -> int | None:
        """The longest remaining time that tables tell apart, when all is gained by `waits`."""
        if self.window is None and not self.wants_terms:
            return None
        return int(waits if self.window is None else min(self.window, waits))

    @property
    def horizon(self) -> float:
        """The wait after which sums of terms that do not grow are as good as complete."""
        return max(life.horizon for life in self.lives)

    @cached_property
    def lags(self) -> np.ndarray:
        """The units of time since B's last arrival that occur at the end of a step, ascending."""
        time = self.trace.time
        if self.is_caching:
            return np.zeros(1, np.int64)
        ends = np.append(time[1:] != time[:-1], True) if len(time) else np.zeros(0, bool)
        arrived = np.where(self.others, time, np.iinfo(np.int64).min)
        last = np.maximum.accumulate(arrived)
        known = ends & (last != np.iinfo(np.int64).min)
        return np.unique(time[known] - last[known]) if known.any() else np.zeros(1, np.int64)


def summed_lives(ask: Ask) -> list[Table]:
    """Sums of L up to every remaining time, for processes in which all times are alike."""
    tables = []
    for life in ask.lives:
        weights = life.weights(int(life.horizon))
        sums = accumulated(
            lambda wait, of=weights: of[wait - 1], len(weights), ask, ask.depth(ask.horizon), 1
        )
        tables.append(Table(sums[None], 0))
    return tables
