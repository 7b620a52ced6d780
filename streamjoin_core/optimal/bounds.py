"""Bounds on the optimum for traces that are too long for it, better the more time there is.

From above: any prices of memory give a bound, and a bound for one memory is one for all. First come
uniform prices. From below: whatever is reached by a policy.

An equality join falls apart into groups of keys, which have nothing in common but the memory. Each
group is solved by itself, and each unit of memory goes to the group whose last one gained most. So
the gains of all groups are a bound from below, reached by all their schedules together. And since
every group has its share of the memory, all have much the same prices, whose mean gives a bound
from above. A unit passes through one group instead of the whole trace, so a round with g groups
takes a g-th of an exact solve. Rounds have fewer and fewer groups, the last one is exact.
"""

import heapq
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from streamjoin_core.engine.condition import EQUAL
from streamjoin_core.engine.joining import Join, prepare_join
from streamjoin_core.engine.rules import COMBINATIONS
from streamjoin_core.optimal.benefit import Benefit
from streamjoin_core.optimal.prices import upper_bound
from streamjoin_core.optimal.schedule import streams_of_parts
from streamjoin_core.optimal.solution import Optimum
from streamjoin_core.optimal.solver import METHODS
from streamjoin_core.optimal.walk import step_starts
from streamjoin_core.progress import Progress, silent

_ROUNDS = (64, 16, 4, 1)  # groups
_LEAST_GROUPS_UNASKED = 4  # without a time limit: a part of the effort of an exact solve
_LEAST_SHARE = 2  # units of memory for each group, or their prices say little
_LOOKED_AT = 8  # memories, of those that are asked for: they bound the others
_SEARCHED = 3  # of those, for which the best uniform price is searched
_SEARCH_STEPS = 12
_PAUSE = 0.1  # seconds between two looks at the clock
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
    try:
        search.run(reached)
    except KeyboardInterrupt:
        pass  # what has been found so far is worth having
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
        try:
            for part in self._parts:
                part.price_uniformly(self._tell)
            for sizes in spread_out(sorted(self._wanted, key=sum), _LOOKED_AT)[::-1]:
                self._reached[sizes] = reached(sizes)
                self._tell()
            for groups in self._rounds():
                self._solve_groups(groups)
                if all(best.status == "optimal" for best in self.optima()):
                    return
        except _OutOfTime:
            pass

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
        groups = _groups_of_keys(self._join, number)
        for part in self._parts:
            solvers = [_Group(group, self._benefit, self._graph, part) for group in groups]
            part.share_out(solvers, self._tell)

    def _tell(self) -> None:
        """Show how far the bounds are apart, and stop when time is over."""
        now = time.perf_counter()
        if now - self._told < _PAUSE:
            return
        self._told = now
        spent = now - self._start
        best = self._optimum(max(self._wanted, key=sum))
        gap = (best.upper - best.lower) / best.upper if best.upper else 0.0
        what = f"bounds, {100 * gap:.2f} % apart"
        limit = self._time_limit
        self._progress(what, round(10 * min(spent, limit or 0)), round(10 * (limit or 0)))
        if limit is not None and spent >= limit:
            raise _OutOfTime


class _Part:
    """A part of the memory: a curve from below and lines from above, in units of benefit."""

    def __init__(self, join: Join, benefit: Benefit, streams: tuple[int, ...], sizes: tuple):
        self.join, self.benefit, self.streams = join, benefit, streams
        self.largest = min(max(sizes), len(join.rows.time))
        self.steps = len(step_starts(join.rows.time)) - 1
        self._sizes = sorted({min(size, self.largest) for size in sizes} - {0})
        self._curve = np.zeros(self.largest + 1, np.int64)
        self._lines: list[tuple[int, int]] = []  # what a slot costs, and all surpluses
        self.price(np.zeros(self.steps))

    def lower(self, size: int) -> int:
        return int(self._curve[: min(size, self.largest) + 1].max())

    def upper(self, size: int) -> int:
        return min(min(size, self.largest) * slope + surplus for slope, surplus in self._lines)

    def price(self, prices: np.ndarray) -> None:
        """Add the bound that prices give. Whole numbers are needed: rents are, rounded down."""
        whole = np.diff(np.floor(np.cumsum(prices)), prepend=0).astype(np.int64)
        surplus = upper_bound(self.join, self.benefit, 0, whole, self.streams)
        self._lines.append((int(whole.sum()), surplus))

    def price_uniformly(self, tell: Callable) -> None:
        """The best price that is the same at every step, for each of some memories.

        The bound is a convex function of the price, so a search by golden section finds the least.
        Nobody pays more than there is to gain.
        """
        for size in spread_out(self._sizes, _SEARCHED)[::-1]:
            low, high = 0.0, self.upper(size) / (size * max(1, self.steps))

            def bound(price: float, size=size) -> int:
                self.price(np.full(self.steps, price))
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

    def share_out(self, groups: "list[_Group]", tell: Callable) -> None:
        """Give units of memory to groups of keys, one by one."""
        total = 0
        priced = spread_out(self._sizes, _LOOKED_AT)
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
                self._price_by(groups)
            tell()
        if total:
            self._price_by(groups)

    def _price_by(self, groups: "list[_Group]") -> None:
        self.price(np.mean([group.prices() for group in groups if group.units], axis=0))


class _Group:
    """Some of the keys, with a memory of their own that grows unit by unit."""

    def __init__(self, join: Join, benefit: Benefit, graph: str, part: _Part):
        method = METHODS[graph]
        self._add_units = method.add_units
        self._graph = method.build(join, benefit, part.streams)
        self._state = method.start(self._graph, max(1, part.largest))
        # Where its steps are among those of all keys.
        times = part.join.rows.time[step_starts(part.join.rows.time)[:-1]]
        self._places = np.searchsorted(times, join.rows.time[step_starts(join.rows.time)[:-1]])
        self._all_steps = part.steps

    @property
    def units(self) -> int:
        return int(self._state.flow.units[0])

    def add_unit(self) -> int:
        """What one more unit gains."""
        units = self.units
        if self._graph.number_of_steps == 0:
            return 0
        self._add_units(self._state, units + 1)
        return int(self._state.flow.gains[units]) if self.units > units else 0

    def prices(self) -> np.ndarray:
        """At each step of all keys: rents between its own steps grow evenly."""
        rent = -self._state.flow.label[: self._graph.number_of_steps].astype(float)
        everywhere = np.interp(np.arange(self._all_steps + 1), self._places, rent)
        return np.maximum(np.diff(everywhere), 0)


def spread_out(values: list, number: int) -> list:
    """At most so many of the values, from the first to the last.

    >>> spread_out([1, 2, 3, 4, 5], 3), spread_out([1, 2], 3), spread_out([], 3)
    ([1, 3, 5], [1, 2], [])
    """
    places = np.linspace(0, len(values) - 1, min(number, len(values)))
    return [values[round(place)] for place in places.tolist()]


def _groups_of_keys(join: Join, number: int) -> list[Join]:
    """The joins of so many groups of keys, each with about as many rows as any other.

    The most frequent keys are dealt out first, each to the next group.
    """
    if number == 1:
        return [join]
    order = np.argsort(-np.bincount(join.rows.key, minlength=join.number_of_keys), kind="stable")
    group_of_key = np.empty(join.number_of_keys, np.int64)
    group_of_key[order] = np.arange(join.number_of_keys) % number
    group_of_row = group_of_key[join.rows.key]
    return [_restrict(join, np.flatnonzero(group_of_row == group)) for group in range(number)]


def _restrict(join: Join, rows: np.ndarray) -> Join:
    """The join of some of the rows."""
    trace, rules = join.trace, join.rules
    keys, key = np.unique(trace.key[rows], return_inverse=True)
    part = replace(
        trace,
        time=trace.time[rows],
        stream=trace.stream[rows],
        key=key.astype(np.int32),
        key_values=trace.key_values[keys],
        importance=None if trace.importance is None else trace.importance[rows],
        value=None,
        group=None,
        group_labels=(),
    )
    return prepare_join(
        part,
        window=tuple(rules.window.tolist()) if join.has_window else None,
        by_tuples=False,
        evict_first=False,
        on=join.on,
        band=join.band,
        combination=COMBINATIONS[rules.combination],
        first_counted=int(np.searchsorted(rows, rules.first_counted)),
    )
