"""What is in a part of a trace, as counts that add up over parts with different keys."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from streamjoin_core.engine.facts import add_up
from streamjoin_core.engine.joining import Join, prepare_join
from streamjoin_core.engine.needed import IN_WINDOW, NEEDED, Needs, find_needs
from streamjoin_core.engine.unlimited import EXACT, SAME_STEP
from streamjoin_core.inspection.question import Question
from streamjoin_core.inspection.skew import most_frequent
from streamjoin_core.inspection.trend import joined_moments, moments_of
from streamjoin_core.trace.trace import Trace


@dataclass(frozen=True, eq=False)
class StreamPart:
    """One stream's rows and keys."""

    rows: int
    first: int | None  # time of its first row; None without rows
    last: int | None
    frequencies: Counter  # how many keys occur so many times
    top: tuple[tuple, ...]  # the most frequent keys, each with its count
    moments: np.ndarray | None  # of times and keys; None for strings


@dataclass(frozen=True, eq=False)
class JoinPart:
    """The join with unlimited memory."""

    exact: int
    same_step: int
    importance: float | None  # None where the trace has none
    counted: int  # rows after warm-up
    never_join: int  # rows
    nothing_to_come: int  # rows


@dataclass(frozen=True, eq=False)
class Part:
    """What was found in one part of a trace, or in all of it."""

    rows: int
    first: int | None  # time
    last: int | None
    streams: tuple[StreamPart, StreamPart]
    keys_in_both: int
    joining: JoinPart | None  # None for caching
    most_brought: int  # results that an arrival has with earlier tuples

    @property
    def distinct_keys(self) -> int:
        return sum(stream.frequencies.total() for stream in self.streams) - self.keys_in_both


@dataclass(frozen=True)
class Timeline:
    """What goes by time, which is of all parts together."""

    steps: int
    most_arrivals: int
    needed: int  # most tuples after a step that have a result to come
    needed_time: int | None  # of the first such step
    held: int  # most tuples in window after a step
    held_time: int | None


def look_at(
    trace: Trace, question: Question, first_counted: int
) -> tuple[Part, Join | None, Needs | None]:
    """All that adds up, and the join with what it needs, for whoever follows it through time."""
    counts = [
        np.bincount(trace.key[trace.stream == side], minlength=len(trace.key_values))
        for side in range(2)
    ]
    join = needs = found = None
    if question.problem == "joining":
        join = prepare_join(
            trace,
            window=question.window_in(trace),
            by_tuples=question.window_kind == "tuples",
            evict_first=False,
            on=question.on,
            band=question.band,
            combination="min",
            first_counted=first_counted,
        )
        needs = find_needs(join.rows, join.rules, join.number_of_keys)
        found = _join_part(join, needs, first_counted)
    part = Part(
        rows=len(trace),
        first=int(trace.time[0]) if len(trace) else None,
        last=int(trace.time[-1]) if len(trace) else None,
        streams=tuple(
            _stream_part(trace, side, counts[side], moments, question.top)
            for side, moments in enumerate(moments_of(trace))
        ),
        keys_in_both=int(np.count_nonzero((counts[0] > 0) & (counts[1] > 0))),
        joining=found,
        most_brought=0 if needs is None else int(needs.brought.max(initial=0)),
    )
    return part, join, needs


def _stream_part(
    trace: Trace, side: int, counts: np.ndarray, moments: np.ndarray | None, top: int
) -> StreamPart:
    times = trace.time[trace.stream == side]
    values, numbers = np.unique(counts[counts > 0], return_counts=True)
    return StreamPart(
        rows=len(times),
        first=int(times[0]) if len(times) else None,
        last=int(times[-1]) if len(times) else None,
        frequencies=Counter(dict(zip(values.tolist(), numbers.tolist(), strict=True))),
        top=most_frequent(trace, counts, top),
        moments=moments,
    )


def _join_part(join: Join, needs: Needs, first_counted: int) -> JoinPart:
    unlimited = join.unlimited
    has_no_future = unlimited.future == 0
    has_importance = join.trace.importance is not None
    return JoinPart(
        exact=int(unlimited.pairs[EXACT]),
        same_step=int(unlimited.pairs[SAME_STEP]),
        importance=float(join.exact_importance[:, EXACT].sum()) if has_importance else None,
        counted=len(join.trace) - first_counted,
        never_join=int(np.count_nonzero(has_no_future & (needs.brought == 0))),
        nothing_to_come=int(np.count_nonzero(has_no_future)),
    )


def timeline_of(trace: Trace, first_rows: np.ndarray, needs: Needs | None) -> Timeline:
    """The timeline of a whole trace; of caching, only its steps."""
    most = int(np.diff(first_rows, append=len(trace)).max(initial=0))
    if needs is None:
        return Timeline(len(first_rows), most, 0, None, 0, None)
    peaks = [
        (int(needs.peak[what]), int(trace.time[row]) if row >= 0 else None)
        for what in (NEEDED, IN_WINDOW)
        for row in [int(needs.peak_row[what])]
    ]
    return Timeline(len(first_rows), most, *peaks[0], *peaks[1])


def all_parts(parts: list[Part], top: int) -> Part:
    """What was found in all parts together."""
    if len(parts) == 1:
        return parts[0]
    first = min((part.first for part in parts if part.rows), default=None)
    return Part(
        rows=sum(part.rows for part in parts),
        first=first,
        last=max((part.last for part in parts if part.rows), default=None),
        streams=tuple(_all_of_stream(parts, side, first, top) for side in range(2)),
        keys_in_both=sum(part.keys_in_both for part in parts),
        joining=add_up([part.joining for part in parts]),
        most_brought=max(part.most_brought for part in parts),
    )


def _all_of_stream(parts: list[Part], side: int, first: int | None, top: int) -> StreamPart:
    own = [part.streams[side] for part in parts]
    heads = [entry for stream in own for entry in stream.top]
    return StreamPart(
        rows=sum(stream.rows for stream in own),
        first=min((stream.first for stream in own if stream.rows), default=None),
        last=max((stream.last for stream in own if stream.rows), default=None),
        frequencies=sum((stream.frequencies for stream in own), Counter()),
        top=tuple(sorted(heads, key=lambda entry: (-entry[1], entry[0]))[:top]),
        moments=joined_moments(
            [
                (part.streams[side].moments, part.first - first)
                for part in parts
                if part.rows and part.streams[side].moments is not None
            ]
        ),
    )
