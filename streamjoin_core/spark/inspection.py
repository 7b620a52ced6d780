"""The inspection of a trace over a Spark cluster.

What goes by key is counted partition by partition. What goes by time is of all partitions together:
each one tells by how much it changes the number of tuples at each time, changes of one time are
added up, and ranges of time are followed side by side, each from 0, and put together in the end.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from streamjoin_core.errors import InputError
from streamjoin_core.execute import trace_account
from streamjoin_core.inspection.parts import Part, Timeline, all_parts, look_at
from streamjoin_core.inspection.question import Question
from streamjoin_core.inspection.report import Inspection
from streamjoin_core.inspection.run import tell
from streamjoin_core.partitions.partitioning import Partitioning
from streamjoin_core.partitions.work import NEVER
from streamjoin_core.progress import Progress, silent
from streamjoin_core.spark.cluster import Cluster
from streamjoin_core.spark.gathering import empty_trace, traces_of_chunks
from streamjoin_core.spark.recording import read_rows
from streamjoin_core.spark.replay import Cut, answers_on, as_recording, chunks_of
from streamjoin_core.spark.session import run, spark_session
from streamjoin_core.trace.read import Recording
from streamjoin_core.trace.trace import Trace

PARTITIONS = 16  # unless another number is wanted: it changes nothing but who does the work
_CHANGES = ("arrivals", "needed", "held")
_RANGE = (
    *("first", "steps", "most_arrivals"),
    *("needed", "needed_peak", "needed_time", "held", "held_peak", "held_time"),
)


@dataclass(frozen=True, eq=False)
class _Looked:
    """What was found in one partition."""

    number: int
    rows: int
    fingerprint: str
    part: Part


def inspect_on(
    cluster: Cluster,
    question: Question,
    recording: Recording | str,
    partitions: int | None = None,
    progress: Progress | None = None,
) -> Inspection:
    """Tell what is in a trace, wherever its rows are."""
    _refuse_what_does_not_separate(question)
    recording = as_recording(recording, question.problem)
    cut = Cut(question.problem, partitions or PARTITIONS, question.warmup)
    progress = progress or silent
    with spark_session(cluster) as session:
        layouts, labels, counted, looked = answers_on(
            cluster, cut, recording, partial(_look, question), progress
        )
        rows, numbers = read_rows(session, recording, layouts)
        chunks = chunks_of(rows, layouts, numbers, Partitioning(cut.parts))
        timeline = run(session, lambda: _timeline(chunks, layouts, question, counted), progress)
    part = all_parts([one.part for one in looked], question.top)
    trace = empty_trace(layouts, labels)
    return tell(question, trace, part, timeline, trace_account(layouts.origin, looked))


def _refuse_what_does_not_separate(question: Question) -> None:
    if question.problem == "caching":
        raise InputError(
            "a cache goes reference by reference through the whole trace: leave --spark out"
        )
    if question.on != "=" or question.band is not None or question.window_kind == "tuples":
        raise InputError(
            "only joins on equal keys in windows of time separate by key: leave --spark out"
        )


def _look(question: Question, cut: Cut, counted: int | None, number: int, trace: Trace) -> _Looked:
    part, _, _ = look_at(trace, question, _first_row(trace, counted))
    return _Looked(number, len(trace), trace.fingerprint, part)


def _first_row(trace: Trace, counted: int | None) -> int:
    return 0 if counted is None else int(np.searchsorted(trace.time, counted))


def _timeline(chunks, layouts, question: Question, counted: int | None) -> Timeline:
    from pyspark.sql import functions as F

    def changes(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for trace in traces_of_chunks(batches, layouts):
            yield _changes(trace, question, counted)

    def follow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        held = [batch for batch in batches if batch.num_rows]
        if held:
            yield _followed(pa.Table.from_batches(held))

    schema = ", ".join(f"{name} bigint" for name in ("time", *_CHANGES))
    sums = [F.sum(name).alias(name) for name in _CHANGES]
    by_time = chunks.mapInArrow(changes, schema).groupBy("time").agg(*sums)
    ranges = by_time.repartitionByRange("time").sortWithinPartitions("time")
    schema = ", ".join(f"{name} bigint" for name in _RANGE)
    found = ranges.mapInArrow(follow, schema).collect()
    return _put_together(sorted(tuple(record) for record in found))


def _changes(trace: Trace, question: Question, counted: int | None) -> pa.RecordBatch:
    """By how much a partition changes the numbers of tuples, time by time."""
    _, join, needs = look_at(trace, question, _first_row(trace, counted))
    ends = []
    for stream, window in enumerate(join.rules.window.tolist()):
        own = trace.time[trace.stream == stream]
        ends.append(own[own <= NEVER - 1 - window] + window + 1)
    ends = np.concatenate(ends) if join.has_window else np.empty(0, np.int64)
    times, place = np.unique(np.concatenate([trace.time, ends]), return_inverse=True)
    rows = len(trace)
    found = {name: np.zeros(len(times), np.int64) for name in _CHANGES}
    np.add.at(found["arrivals"], place[:rows], 1)
    np.add.at(found["needed"], place[:rows], needs.change)
    np.add.at(found["held"], place[:rows], 1)
    np.add.at(found["held"], place[rows:], -1)
    return pa.RecordBatch.from_pydict({"time": times, **found})


def _followed(changes: pa.Table) -> pa.RecordBatch:
    """What happens in a range of time, with levels counted from 0."""
    time, arrivals = (changes[name].to_numpy() for name in ("time", "arrivals"))
    found = [int(time[0]), int(np.count_nonzero(arrivals)), int(arrivals.max())]
    for name in ("needed", "held"):
        level = np.cumsum(changes[name].to_numpy())
        peak = int(level.argmax())
        found += [int(level[-1]), int(level[peak]), int(time[peak])]
    return pa.RecordBatch.from_pydict(
        {name: pa.array([value], pa.int64()) for name, value in zip(_RANGE, found, strict=True)}
    )


def _put_together(ranges: list[tuple]) -> Timeline:
    """The ranges, in order of time, one after the other."""
    steps = most_arrivals = 0
    levels, peaks = [0, 0], [(0, None), (0, None)]
    for _, own_steps, own_most, *followed in ranges:
        steps, most_arrivals = steps + own_steps, max(most_arrivals, own_most)
        for what in range(2):
            change, peak, time = followed[3 * what : 3 * what + 3]
            if levels[what] + peak > peaks[what][0]:
                peaks[what] = (levels[what] + peak, time)
            levels[what] += change
    return Timeline(steps, most_arrivals, *peaks[0], *peaks[1])
