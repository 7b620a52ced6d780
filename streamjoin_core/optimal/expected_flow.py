"""The plan with the largest expected benefit: who is held until when, decided beforehand.

A slot of memory is a path through time, so the timeline is the graph: its nodes are the time units
0 (now) to l. A slot that is held by nobody from one unit to the next takes an arc of gain 0. A
tuple that arrives at unit a and is held until its stop, unit s, is an arc from a to s and gains its
expected benefits at a + 1, ..., s; it has one stop, and waits at a if nobody holds it. `mem` units
flow from 0 to l. J. Xie, J. Yang, Y. Chen copy every tuple at every time unit instead; paths
through their graph and ours are the same sequences of decisions.

Units of flow are added to nothing, or taken from all tuples being held to the end, which is best
for a memory that holds all: whichever is less work. Each takes the path of largest gain through the
moves of tuples from stop to stop. There are few nodes, so between two of them only the best move is
noted, and Bellman's and Ford's algorithm finds the path. Gains are whole numbers: sums of
them do not depend on the order, so equal plans are equal.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner

FAR = -(2**62)
_NOBODY = -1
_BITS = 61


class Timeline(NamedTuple):
    """Tuples known and expected, and the flow; tuples beyond `number` are not there."""

    gains: np.ndarray  # int64 [tuple, unit]: of being held from its arrival until there
    arrival: np.ndarray  # int64 [tuple]: time units from now
    stop: np.ndarray  # int64 [tuple]
    idle: np.ndarray  # int64 [unit]: slots that nobody holds until the next one
    move: np.ndarray  # int64 [unit, unit]: the largest gain of moving a tuple's stop; or FAR
    mover: np.ndarray  # int64 [unit, unit]: that tuple, or _NOBODY for an idle slot
    label: np.ndarray  # int64 [unit]: gain of the best path so far
    before: np.ndarray  # int64 [unit]: where it comes from
    is_changed: np.ndarray  # bool [unit]: whether moves from there must be found again
    number: np.ndarray  # int64 [1]


def new_timeline(most_tuples: int, lookahead: int) -> Timeline:
    units = lookahead + 1
    return Timeline(
        gains=np.zeros((most_tuples, units), np.int64),
        arrival=np.zeros(most_tuples, np.int64),
        stop=np.zeros(most_tuples, np.int64),
        idle=np.zeros(units, np.int64),
        move=np.full((units, units), FAR, np.int64),
        mover=np.full((units, units), _NOBODY, np.int64),
        label=np.zeros(units, np.int64),
        before=np.zeros(units, np.int64),
        is_changed=np.zeros(units, np.bool_),
        number=np.zeros(1, np.int64),
    )


def spare_bits(lookahead: int, most_at_once: int, tie_bits: int) -> int:
    """Binary digits that an expected benefit may have behind the point, so that no path overflows.

    A path has at most a move per time unit, and a move gains at most `most_at_once` per time unit.
    """
    return min(40, _BITS - tie_bits - (lookahead * (lookahead + 1) * most_at_once).bit_length())


@inner
def find_plan(timeline, mem):
    """Give every tuple its best stop; whoever stops where it arrived is not kept."""
    number, last = timeline.number[0], timeline.idle.shape[0] - 1
    surplus = max(0, number - mem)
    adds = mem <= surplus
    timeline.idle[:] = 0 if adds else max(mem, number) - number
    for tuple_ in range(number):
        timeline.stop[tuple_] = timeline.arrival[tuple_] if adds else last
        if not adds:
            for unit in range(timeline.arrival[tuple_]):
                timeline.idle[unit] += 1
    timeline.is_changed[:] = True
    for _ in range(mem if adds else surplus):
        _find_moves(timeline)
        if adds:
            _take_best_path(timeline, 0, last)
        else:
            _take_best_path(timeline, last, 0)


@inner
def _find_moves(timeline):
    """The best moves from all units where something has changed."""
    move, mover, is_changed = timeline.move, timeline.mover, timeline.is_changed
    last = len(is_changed) - 1
    for unit in range(last + 1):
        if is_changed[unit]:
            move[unit, :] = FAR
            if unit < last:
                move[unit, unit + 1] = 0
                mover[unit, unit + 1] = _NOBODY
            if unit > 0 and timeline.idle[unit - 1] > 0:
                move[unit, unit - 1] = 0
                mover[unit, unit - 1] = _NOBODY
    for tuple_ in range(timeline.number[0]):
        stop = timeline.stop[tuple_]
        if is_changed[stop]:
            gained = timeline.gains[tuple_, stop]
            for unit in range(timeline.arrival[tuple_], last + 1):
                gain = timeline.gains[tuple_, unit] - gained
                if gain > move[stop, unit] and unit != stop:
                    move[stop, unit] = gain
                    mover[stop, unit] = tuple_
    is_changed[:] = False


@inner
def _take_best_path(timeline, source, sink):
    """Move the tuples along the path of largest gain."""
    label, before, move = timeline.label, timeline.before, timeline.move
    units = len(label)
    label[:] = FAR
    label[source] = 0
    is_better = True
    while is_better:
        is_better = False
        for step in range(units):
            # In the path's own direction most of it is found in one round.
            unit = step if source == 0 else units - 1 - step
            if label[unit] == FAR:
                continue
            for other in range(units):
                if move[unit, other] != FAR and label[unit] + move[unit, other] > label[other]:
                    label[other] = label[unit] + move[unit, other]
                    before[other] = unit
                    is_better = True
    unit = sink
    timeline.is_changed[sink] = True
    while unit != source:
        origin = before[unit]
        tuple_ = timeline.mover[origin, unit]
        if tuple_ != _NOBODY:
            timeline.stop[tuple_] = unit
        elif unit > origin:
            timeline.idle[origin] += 1
        else:
            timeline.idle[unit] -= 1
        timeline.is_changed[origin] = True
        unit = origin


@entry_point
def _solve(timeline, mem):
    find_plan(timeline, mem)


@dataclass(frozen=True)
class Plan:
    """Until when each tuple is held, in time units from now; its arrival's if it is not kept."""

    until: np.ndarray  # of the known tuples
    until_coming: np.ndarray  # of those to come
    expected: float  # benefit

    @property
    def kept(self) -> np.ndarray:
        """Positions of the known tuples that are kept now."""
        return np.flatnonzero(self.until > 0)


def expected_plan(known, arrivals, coming, mem: int) -> Plan:
    """The best plan for a memory of so many tuples.

    known[i, d]: expected benefit of known tuple i at d + 1 units from now, if it is held until
    then. coming[j, d]: likewise of a tuple that will arrive arrivals[j] >= 1 units from now (what
    is there up to its arrival is ignored). Memory is filled as long as there are tuples to keep
    now, and among equally good plans the earlier known tuples go.
    """
    known = np.asarray(known, float)
    coming = np.asarray(coming, float).reshape(-1, known.shape[1])
    lookahead = known.shape[1]
    arrival = np.concatenate([np.zeros(len(known), np.int64), np.asarray(arrivals, np.int64)])
    units = np.arange(1, lookahead + 1)
    benefits = np.vstack([known, coming]) * (units > arrival[:, None])
    tie_bits = tie_bits_of(len(known), len(known))
    largest = int(np.ceil(benefits.max(initial=1)))
    one = 2.0 ** spare_bits(lookahead, largest, tie_bits)
    timeline = new_timeline(len(benefits), lookahead)
    timeline.number[0] = len(benefits)
    timeline.arrival[:] = arrival
    timeline.gains[:, 1:] = np.rint(benefits * one).astype(np.int64).cumsum(axis=1) << tie_bits
    timeline.gains[: len(known), 1:] += np.arange(1, len(known) + 1)[:, None]
    _solve(timeline, mem)
    expected = (benefits * (units <= timeline.stop[:, None])).sum()
    stops = timeline.stop.copy()
    return Plan(stops[: len(known)], stops[len(known) :], float(expected))


def tie_bits_of(candidates: int, leaving: int) -> int:
    """Binary digits below a benefit that hold who is kept: each candidate's place among them.

    Kept sets of best plans are the bases of a matroid, so the largest sum of places is had by the
    one set from which nobody could be swapped for a later one.
    """
    return (candidates * (leaving + 1) + 1).bit_length()
