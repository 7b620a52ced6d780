"""Age curves counted in a trace: by a pass with unlimited memory, or from a few tuples only.

Every result counts for its earlier tuple, at the age that it has then in the window's clock. The
whole trace is seen, warm-up or not; results within a step need no memory and have no age.
"""

from math import ceil
from typing import NamedTuple

import numpy as np

from streamjoin_core.age.curve import AgeCurve
from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.joining import Join
from streamjoin_core.engine.rules import Rows, Rules
from streamjoin_core.errors import InputError
from streamjoin_core.optimal.pairs import Waiting, meet, nobody_waits, start_waiting, stop_waiting
from streamjoin_core.optimal.walk import Clock, new_clock, walk

MOST_PLACES = 1 << 20  # so many ages are told apart, unless a granularity is given


class _State(NamedTuple):
    rows: Rows
    rules: Rules
    waiting: Waiting
    clock: Clock
    ordinal: np.ndarray  # int64 [row]: its number in its stream; empty for windows of time
    granularity: int
    counts: np.ndarray  # int64 [stream, place]
    kept: np.ndarray  # bool [row]: whether it is observed; empty if all are
    squares: np.ndarray  # int64 [stream, place]: of each tuple's count, if some are observed
    place: np.ndarray  # int32 [row]: of its latest result
    here: np.ndarray  # int32 [row]: results at that place


def learn_curves(
    join: Join,
    granularity: int | None = None,
    *,
    until: int | None = None,
    fraction: float = 1.0,
    seed: int = 0,
) -> tuple[AgeCurve, AgeCurve]:
    """The curves of the left and the right stream, from the rows before `until` if it is given.

    With a fraction below 1 only so many tuples, drawn at random, are retained for life; then p has
    a standard error.
    """
    windows = reach(join)
    width = granularity or default_granularity(windows)
    check_places(windows, width)
    places = [ceil(window / width) for window in windows]
    seen = Rows(*(column[:until] for column in join.rows))
    rows = len(seen.time)
    is_sampled = fraction < 1
    kept = np.zeros(0, bool)
    if is_sampled:
        kept = np.random.default_rng(seed).random(rows) < fraction
    state = _State(
        seen,
        join.rules._replace(first_counted=0),
        nobody_waits(join),
        new_clock(),
        ordinals(join) if join.rules.by_tuples else np.zeros(0, np.int64),
        width,
        np.zeros((2, max(places) + 1), np.int64),
        kept,
        np.zeros((2, max(places) + 1 if is_sampled else 0), np.int64),
        np.zeros(rows if is_sampled else 0, np.int32),
        np.zeros(rows if is_sampled else 0, np.int32),
    )
    _count(state.rows, state.rules, state.clock, state)
    curves = []
    for stream in range(2):
        is_own = seen.stream == stream
        tuples = int(np.count_nonzero(is_own & kept if is_sampled else is_own))
        counts = state.counts[stream, 1 : places[stream] + 1]
        errors = None
        if is_sampled:
            errors = _errors(counts, state.squares[stream, 1 : places[stream] + 1], tuples)
        curves.append(AgeCurve(counts, tuples, windows[stream], width, errors))
    return tuple(curves)


def reach(join: Join) -> tuple[int, int]:
    """The largest age that matters for each stream: its window's, or what the trace lets reach."""
    time, stream = join.rows.time, join.rows.stream
    if join.rules.by_tuples:
        longest = np.bincount(stream, minlength=2)
    else:
        longest = np.full(2, time[-1] - time[0] if len(time) else 0)
    left, right = np.minimum(join.rules.window, longest).tolist()
    return left, right


def default_granularity(windows: tuple[int, int]) -> int:
    return max(1, ceil(max(windows) / MOST_PLACES))


def check_places(windows: tuple[int, int], granularity: int) -> None:
    least = default_granularity(windows)
    if granularity < least:
        raise InputError(
            f"granularity {granularity} tells more than {MOST_PLACES:,} ages apart: give at least "
            f"{least}"
        )


def ordinals(join: Join) -> np.ndarray:
    """The number of each row in its own stream, from 0."""
    is_right = join.rows.stream.astype(np.int64)
    rights = np.cumsum(is_right)
    return np.where(is_right, rights, np.arange(1, len(rights) + 1) - rights) - 1


def _errors(counts: np.ndarray, squares: np.ndarray, tuples: int) -> np.ndarray | None:
    """The standard error of a mean over the observed tuples."""
    if tuples < 2:
        return None
    mean = counts / tuples
    return np.sqrt((squares / tuples - mean**2) / (tuples - 1))


@inner
def _note(state, earlier, row, step):
    if len(state.kept) and not state.kept[earlier]:
        return
    stream = state.rows.stream[earlier]
    if state.rules.by_tuples:
        age = state.clock.arrived[stream] - state.ordinal[earlier]
    else:
        age = state.rows.time[row] - state.rows.time[earlier]
    place = (age + state.granularity - 1) // state.granularity
    state.counts[stream, place] += 1
    if len(state.kept):
        # The square of a count that grows by one grows by the two counts' sum.
        state.here[earlier] = state.here[earlier] + 1 if state.place[earlier] == place else 1
        state.place[earlier] = place
        state.squares[stream, place] += 2 * state.here[earlier] - 1


@inner
def _probe(state, row, step):
    meet(state, row, step, _note)


@entry_point
def _count(rows, rules, clock, state):
    walk(rows, rules, clock, state, stop_waiting, _probe, start_waiting)
