"""What executors do with the chunks of one partition: from chunks back to a trace.

Every partition has all tasks' summaries, so each one finds by itself the same labels, and the same
fault if the trace has one.
"""

import pickle
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

import numpy as np
import pyarrow as pa

from streamjoin_core.errors import InputError, SjoinError
from streamjoin_core.spark.chunks import SUMMARY, Span, Summary, chunk_request, chunk_schema
from streamjoin_core.spark.packing import read_narrow, widen
from streamjoin_core.spark.recording import Layouts
from streamjoin_core.trace.build import assemble, goes_back, refuse_long_span
from streamjoin_core.trace.source import Part, Place
from streamjoin_core.trace.streams import one_label_too_many, streams_of
from streamjoin_core.trace.trace import Trace

ANSWERS = "partition int, body binary"
_SCHEMA = pa.schema([("partition", pa.int32()), ("body", pa.binary())])


@dataclass(frozen=True)
class Fault:
    """What is wrong with a trace, told by a partition instead of its answer."""

    message: str
    kind: type[SjoinError] = InputError


@dataclass(frozen=True, eq=False)
class Gathered:
    """A partition's answer, with what it knows of the whole trace."""

    labels: tuple
    answer: object


def answer_chunks(
    batches: Iterator[pa.RecordBatch],
    layouts: Layouts,
    answer: Callable[[int, Trace], object],
) -> Iterator[pa.RecordBatch]:
    """The answers of the partitions whose chunks these are, or what is wrong."""
    chunks = _by_partition(batches)
    for number in sorted(chunks):
        try:
            labels, trace = _gather(number, chunks.pop(number), layouts)
            found = Gathered(labels, answer(number, trace))
        except SjoinError as error:
            found = Fault(str(error), type(error))
        arrays = [pa.array([number], pa.int32()), pa.array([pickle.dumps(found)], pa.binary())]
        yield pa.RecordBatch.from_arrays(arrays, schema=_SCHEMA)


def traces_of_chunks(batches: Iterator[pa.RecordBatch], layouts: Layouts) -> Iterator[Trace]:
    """The partitions whose chunks these are."""
    chunks = _by_partition(batches)
    for number in sorted(chunks):
        yield _gather(number, chunks.pop(number), layouts)[1]


def _by_partition(batches: Iterator[pa.RecordBatch]) -> dict[int, list[tuple]]:
    """File, row, piece, head and body of each partition's chunks, in order."""
    chunks = defaultdict(list)
    for batch in batches:
        numbers = ("partition", "file", "row", "piece")
        columns = [batch.column(name).to_pylist() for name in numbers]
        for record, (number, *order) in enumerate(zip(*columns, strict=True)):
            texts = (batch.column(name)[record].as_buffer() for name in ("head", "body"))
            chunks[number].append((*order, *texts))
    for pieces in chunks.values():
        pieces.sort(key=itemgetter(0, 1, 2))
    return chunks


def _gather(number: int, chunks: list[tuple], layouts: Layouts) -> tuple[tuple, Trace]:
    """The labels of the whole trace, and the rows of one partition."""
    summaries = [pickle.loads(body) for file, *_, body in chunks if file == SUMMARY]
    labels = check_summaries(summaries, layouts)
    trace = _trace(_joined(chunks), labels, layouts)
    sent = sum(summary.sent for summary in summaries)
    if len(trace) != sent:
        raise SjoinError(f"Spark brought {len(trace)} of {sent} rows of partition {number}")
    return labels, trace


def _joined(chunks: list[tuple]) -> Iterator[tuple[pa.Buffer, pa.Buffer]]:
    """Head and body of each chunk of rows, whose pieces follow one another."""
    for at, found in groupby(chunks, key=itemgetter(0, 1)):
        if at[0] != SUMMARY:
            *_, head, body = next(found)
            others = [piece[-1] for piece in found]
            yield head, pa.py_buffer(b"".join([body, *others])) if others else body


def _trace(chunks: Iterable[tuple], labels: tuple, layouts: Layouts) -> Trace:
    """The trace of a partition, from its chunks in order."""
    schema = chunk_schema(layouts)
    batches = []
    for head, body in chunks:
        own, how = pickle.loads(head)
        batches.append((own, *read_narrow(body, how)))
    index = schema.get_field_index("stream")
    label_type = pa.array(list(labels)).type if labels else pa.string()
    stored = schema.set(index, pa.field("stream", pa.dictionary(pa.uint8(), label_type)))

    def with_labels(names: list[str]) -> Iterator[pa.RecordBatch]:
        for own, narrow, least in batches:
            batch = widen(narrow, least, schema)
            column = pa.DictionaryArray.from_arrays(
                batch.column(index), pa.array(list(own), label_type)
            )
            yield batch.set_column(index, "stream", column).select(names)

    part = Part(layouts.origin, stored, sum(len(batch) for _, batch, _ in batches), with_labels)
    request = chunk_request(layouts)
    trace = assemble([[part]], request, origin=layouts.origin, metadata=layouts.metadata)
    return with_all_labels(trace, labels)


def with_all_labels(trace: Trace, labels: tuple) -> Trace:
    """The trace of a partition that may lack one of the whole trace's streams."""
    if trace.labels == labels:
        return trace
    stream = trace.stream
    if len(trace.labels) == 1:
        stream = np.full(len(trace), labels.index(trace.labels[0]), np.uint8)
    return replace(trace, labels=labels, stream=stream)


def empty_trace(layouts: Layouts, labels: tuple) -> Trace:
    """A trace of the same columns without rows."""
    return _trace([], labels, layouts)


def check_summaries(summaries: list[Summary], layouts: Layouts) -> tuple:
    """The stream labels of the whole trace, unless something is wrong with it."""
    problems = [summary.problem for summary in summaries if summary.problem]
    if problems:
        raise InputError(min(problems)[2])
    spans = sorted(span for summary in summaries for span in summary.spans)
    _reconcile(spans, layouts)
    if not layouts.request.sort:
        _check_order(spans, layouts)
    times = [span for span in spans if span.first_time is not None]
    if times:
        first, last = min(s.least_time for s in times), max(s.most_time for s in times)
        refuse_long_span(first, last, layouts.layout, layouts.origin)
    return _labels(summaries, layouts)


def _reconcile(spans: list[Span], layouts: Layouts) -> None:
    """Every row of every file must have been read once."""
    read = np.zeros(len(layouts.files), np.int64)
    for span in spans:
        if span.first != read[span.file]:
            raise SjoinError(
                f"Spark read {layouts.files[span.file].name} with a gap or twice before row "
                f"{span.first}"
            )
        read[span.file] += span.rows
    for file, rows in zip(layouts.files, read.tolist(), strict=True):
        if rows != file.rows:
            raise SjoinError(f"Spark read {rows} of {file.rows} rows of {file.name}")


def _check_order(spans: list[Span], layouts: Layouts) -> None:
    """Refuse times that go back from one span to the next; each side is in order by itself."""
    last: dict[int, int] = {}
    for span in spans:
        if span.first_time is not None:
            file = layouts.files[span.file]
            then = last.get(file.side, span.first_time)
            if span.first_time < then:
                place = Place(file.name, span.first)
                raise goes_back(place, 0, then, span.first_time, layouts.layout)
            last[file.side] = span.last_time


def _labels(summaries: list[Summary], layouts: Layouts) -> tuple:
    firsts: dict = {}
    for summary in summaries:
        for label, at in summary.labels.items():
            firsts[label] = min(at, firsts.get(label, at))
    known = sorted(firsts, key=firsts.get)
    most = streams_of(layouts.request.problem)
    if len(known) > most:
        file, row = firsts[known[most]]
        place = Place(layouts.files[file].name, row)
        name = layouts.layout.stream
        raise one_label_too_many(place, name, 0, known[most], known[:most])
    return tuple(sorted(known))
