"""Bounds on the optimum for traces that are too long for it, better the more time there is.

From below: whatever is reached by a policy. From above: any prices of memory give a bound, for
every memory at once. First come uniform prices.

An equality join falls apart into groups of keys, which have nothing in common but the memory. Each
group is solved by itself, and each unit of memory goes to the group whose last one gained most. So
the gains of all groups are a bound from below, reached by all their schedules together. And since
every group has its share of the memory, all have much the same prices, whose mean is a better guess
than uniform prices. A unit passes through one group instead of the whole trace, so a round with g
groups takes a g-th of an exact solve. Rounds have fewer and fewer groups, the last one is exact.
"""

import heapq
import time
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from streamjoin_core.engine.condition import EQUAL
from streamjoin_core.engine.joining import Join
from streamjoin_core.optimal.benefit import Benefit
from streamjoin_core.optimal.key_groups import KeyGroup, groups_of_keys
from streamjoin_core.optimal.prices import upper_bound
from streamjoin_core.optimal.schedule import streams_of_parts
from streamjoin_core.optimal.solution import Optimum
from streamjoin_core.optimal.walk import step_starts
from streamjoin_core.progress import Progress, silent

_ROUNDS = (64, 16, 4, 1)  # groups
_LEAST_GROUPS_UNASKED = 4  # without a time limit: a part of the effort of an exact solve
_LEAST_SHARE = 8  # units of memory for each group: with fewer, policies do better
_LOOKED_AT = 8  # memories, of those that are asked for: they bound the others
_SEARCHED = 3  # of those, for which the best uniform price is searched
_SEARCH_STEPS = 12
_PAUSE = 0.1  # seconds between two looks at the gap
_GOLDEN = (5**0.5 - 1) / 2


def find_bounds(
    join: Join,
    benefit: Benefit,
    graph: str,
    wanted: tuple[tuple[int, ...], ...],
    reached: Callable[[tuple[int, ...]], int | float],
    *,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> list[Optimum]:
    """Bounds for memories given by the sizes of their parts; `reached` says what a policy does.

    They are returned when they meet, when so many seconds are over, or when the user interrupts.
    """
    search = _Search(join, benefit, graph, wanted, time_limit, progress or silent)
    with suppress(KeyboardInterrupt, _OutOfTime):  # what has been found so far is worth having
        search.run(reached)
    return search.optima()


class _OutOfTime(Exception):
    pass


class _Search:
    """The best bounds so far."""

    def __init__(self, join, benefit, graph, wanted, time_limit, progress):
        self._join, self._benefit, self._graph, self._wanted = join, benefit, graph, wanted
        self._time_limit, self._progress = time_limit, progress
        self._start = self._told = time.perf_counter()
        self._parts = [
            _Part(join, benefit, streams, sizes)
            for streams, sizes in zip(
                streams_of_parts(len(wanted[0])), zip(*wanted, strict=True), strict=True
            )
        ]
        self._reached: dict[tuple[int, ...], int | float] = {}

    def optima(self) -> list[Optimum]:
        return [self._optimum(sizes) for sizes in self._wanted]

    def _optimum(self, sizes: tuple[int, ...]) -> Optimum:
        pairs = list(zip(self._parts, sizes, strict=True))
        upper = self._benefit.value(sum(part.upper(size) for part, size in pairs))
        solved = self._benefit.value(sum(part.lower(size) for part, size in pairs))
        # What a smaller memory reaches, a larger one could reach.
        below = [
            reached
            for others, reached in self._reached.items()
            if all(other <= size for other, size in zip(others, sizes, strict=True))
        ]
        lower = max([solved, *below])
        if not self._benefit.is_exact:
            lower = min(lower, upper)  # which a policy may exceed by the rounding to units
        assert lower <= upper, "bounds in the wrong order"
        return Optimum(sizes, lower, upper)

    def run(self, reached: Callable) -> None:
        for sizes in spread_out(sorted(self._wanted, key=sum), _LOOKED_AT):
            self._reached[sizes] = reached(sizes)
            self._tell()
        for part in self._parts:
            part.price_uniformly(self._tell)
        for groups in self._rounds():
            self._solve_groups(groups)
            if all(best.status == "optimal" for best in self.optima()):
                return

    def _rounds(self) -> list[int]:
        """How many groups each round has; none where keys cannot be told apart."""
        rules = self._join.rules
        if rules.condition.kind != EQUAL or rules.by_tuples:
            # Windows in tuples count those of all groups.
            return []
        least = _LEAST_GROUPS_UNASKED if self._time_limit is None else 1
        memory = max(map(sum, self._wanted))
        most = max(1, min(self._join.number_of_keys, memory // _LEAST_SHARE))
        return [groups for groups in _ROUNDS if least <= groups <= most]

    def _solve_groups(self, number: int) -> None:
        groups = groups_of_keys(self._join, number)
        for part in self._parts:
            solvers = [
                KeyGroup(group, self._benefit, self._graph, part.streams, part.times)
                for group in groups
            ]
            part.share_out(solvers, self._tell)

    def _tell(self) -> None:
        """Show how far the bounds are apart, and stop when time is over."""
        now = time.perf_counter()
        spent, limit = now - self._start, self._time_limit
        if limit is not None and spent >= limit:
            raise _OutOfTime
        if now - self._told < _PAUSE:
            return
        self._told = now
        best = self._optimum(max(self._wanted, key=sum))
        gap = (best.upper - best.lower) / best.upper if best.upper else 0.0
        what = f"bounds, {100 * gap:.2f} % apart"
        self._progress(what, round(10 * min(spent, limit or 0)), round(10 * (limit or 0)))


class _Part:
    """A part of the memory: a curve from below and lines from above, in units of benefit."""

    def __init__(self, join: Join, benefit: Benefit, streams: tuple[int, ...], sizes: tuple):
        self.join, self.benefit, self.streams = join, benefit, streams
        self.largest = min(max(sizes), len(join.rows.time))
        self.times = join.rows.time[step_starts(join.rows.time)[:-1]]
        self.steps = len(self.times)
        self._sizes = sorted({min(size, self.largest) for size in sizes} - {0})
        self._curve = np.zeros(self.largest + 1, np.int64)
        self._lines: list[tuple[int, int]] = []  # what a slot costs, and all surpluses
        self._price(np.zeros(self.steps, np.int64))

    def lower(self, size: int) -> int:
        return int(self._curve[: min(size, self.largest) + 1].max())

    def upper(self, size: int) -> int:
        return min(min(size, self.largest) * slope + surplus for slope, surplus in self._lines)

    def _price(self, prices: np.ndarray) -> None:
        """Add the bound that prices give, which are whole numbers of units."""
        surplus = upper_bound(self.join, self.benefit, 0, prices, self.streams)
        self._lines.append((int(prices.sum()), surplus))

    def price_uniformly(self, tell: Callable) -> None:
        """The best price that is the same at every step, for each of some memories.

        The bound is a convex function of the price, so a search by golden section finds the least.
        Nobody pays more than there is to gain.
        """
        for size in spread_out(self._sizes, _SEARCHED)[::-1]:
            low, high = 0.0, self.upper(size) / (size * max(1, self.steps))

            def bound(price: float, size=size) -> int:
                self._price(_whole(np.full(self.steps, price)))
                tell()
                slope, surplus = self._lines[-1]
                return size * slope + surplus

            left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
            at_left, at_right = bound(left), bound(right)
            for _ in range(_SEARCH_STEPS):
                if at_left < at_right:
                    high, right, at_right = right, left, at_left
                    left = high - _GOLDEN * (high - low)
                    at_left = bound(left)
                else:
                    low, left, at_left = left, right, at_right
                    right = low + _GOLDEN * (high - low)
                    at_right = bound(right)

    def share_out(self, groups: list[KeyGroup], tell: Callable) -> None:
        """Give units of memory to groups of keys, one by one."""
        total = 0
        priced = self._sizes if len(groups) == 1 else spread_out(self._sizes, _LOOKED_AT)
        queue = [(-np.inf, number) for number in range(len(groups))]
        for units in range(1, self.largest + 1):
            gain = 0
            while queue and gain == 0:  # who has no use for one more has none for any
                _, number = heapq.heappop(queue)
                gain = groups[number].add_unit()
            if gain == 0:
                break
            heapq.heappush(queue, (-gain, number))
            total += gain
            self._curve[units] = max(self._curve[units], total)
            if units in priced:
                self._price_by(groups, units)
            tell()
        if total:
            self._price_by(groups, self.largest)

    def _price_by(self, groups: list[KeyGroup], size: int) -> None:
        """The mean of the groups' prices, at the level of the best prices known for this memory.

        Small groups know when memory is worth more than at other times, but not how much.
        """
        if len(groups) == 1:
            self._price(groups[0].own_prices())
            return
        prices = np.mean([group.prices() for group in groups if group.units], axis=0)
        level, _ = min(self._lines, key=lambda line: size * line[0] + line[1])
        if prices.sum() > 0:
            self._price(_whole(prices * (level / prices.sum())))


def _whole(prices: np.ndarray) -> np.ndarray:
    """Whole numbers with much the same rents: these are rounded down."""
    return np.diff(np.floor(np.cumsum(prices)), prepend=0).astype(np.int64)


def spread_out(values: list, number: int) -> list:
    """At most so many of the values, from the first to the last.

    >>> spread_out([1, 2, 3, 4, 5], 3), spread_out([1, 2], 3), spread_out([], 3)
    ([1, 3, 5], [1, 2], [])
    """
    places = np.linspace(0, len(values) - 1, min(number, len(values)))
    return [values[round(place)] for place in places.tolist()]
