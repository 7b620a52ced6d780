"""What executors do with rows as they are read: check them, and cut them into partitions' chunks.

A chunk holds rows of one partition from consecutive rows of one file, as Arrow's own bytes, so that
few and large records travel between executors, and their order is told by file and row. A large one
travels in pieces, so that any number of them that Spark hands over at a time is no burden. With
them travels, to every partition, a summary of what each task has read: so each partition knows of
the whole trace what a replay must know, and no row is read twice.
"""

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import types

from streamjoin_core.errors import InputError
from streamjoin_core.partitions.partitioning import Partitioning, rows_by_place
from streamjoin_core.spark.packing import narrow
from streamjoin_core.spark.recording import AT, ROW_BITS, Layouts
from streamjoin_core.trace import cells
from streamjoin_core.trace.build import (
    first_step_back,
    goes_back,
    other_cells,
    refusing_broken_cells,
    with_keys_only,
)
from streamjoin_core.trace.columns import Columns
from streamjoin_core.trace.layout import Request
from streamjoin_core.trace.source import Place, append_label
from streamjoin_core.trace.streams import StreamEncoder

CHUNKS = "partition int, file int, row bigint, piece int, head binary, body binary"
SUMMARY = -1  # in place of a file's number
_SCHEMA = pa.schema(
    [
        ("partition", pa.int32()),
        ("file", pa.int32()),
        ("row", pa.int64()),
        ("piece", pa.int32()),
        ("head", pa.binary()),  # pickled: labels of the streams in order of their numbers, and more
        ("body", pa.binary()),
    ]
)
_ROWS = 1 << 17  # cut at a time
_PIECE = 1 << 16  # bytes of a chunk that travel together


class Span(NamedTuple):
    """Consecutive rows of a file that one task has read."""

    file: int
    first: int
    rows: int
    first_time: int | None = None  # None if all rows were left out
    last_time: int | None = None
    least_time: int | None = None
    most_time: int | None = None


@dataclass
class Summary:
    """What one task has read."""

    spans: list[Span] = field(default_factory=list)
    labels: dict = field(default_factory=dict)  # per stream label, where it first occurs
    problem: tuple[int, int, str] | None = None  # file, row and message of the first bad cell
    sent: int = 0  # rows of the partition that is told


@dataclass(frozen=True, eq=False)
class Cells:
    """Rows of one file that were checked, by role; the stream as the file has it."""

    file: int
    first: int
    read: int  # rows, with those that were left out for want of a key
    place: Place
    columns: dict


def chunk_schema(layouts: Layouts) -> pa.Schema:
    """The columns of chunks, which are those of a trace; streams are numbered."""
    layout = layouts.layout
    text, kinds = pa.large_string(), {"integer": pa.int64(), "double": pa.float64()}
    fields = {
        "time": layout.time_type,
        "stream": pa.uint8(),
        "key": kinds.get(_kind(layout.key_kind), text),
    }
    fields |= {
        role: pa.float64() for role in ("importance", "value") if getattr(layout, role) is not None
    }
    for role in ("group", "attribute"):
        if getattr(layout, role) is not None:
            fields[role] = kinds.get(_kind(getattr(layout, f"{role}_kind")), text)
    return pa.schema(list(fields.items()))


def _kind(kind: str) -> str:
    return kind if kind in ("string", "double") else "integer"


def chunk_request(layouts: Layouts) -> Request:
    """How a trace is read from chunks."""
    group, worth = None if layouts.layout.group is None else "group", layouts.request.worth
    if worth is not None:
        worth = replace(worth, holder="attribute")
    problem = layouts.request.problem
    return Request(Columns(), sort=True, group_by=group, worth=worth, problem=problem)


def cut_into_chunks(
    batches: Iterator[pa.RecordBatch],
    layouts: Layouts,
    numbers: dict[int, int],
    partitioning: Partitioning,
) -> Iterator[pa.RecordBatch]:
    """Chunks of the rows of one task, and in the end a summary for each partition."""
    summary = Summary()
    streams = StreamEncoder(layouts.request.problem)
    sent = np.zeros(partitioning.number, np.int64)
    schema = chunk_schema(layouts)
    at = (0, 0)
    try:
        for piece in _pieces(batches, layouts, numbers):
            at = piece[1:]
            rows = _checked(*piece, layouts)
            note_rows(summary, rows, layouts)
            if len(rows.columns["time"]) == 0:
                continue
            stream = stream_ids(summary, streams, rows, layouts)
            places = partitioning.places(rows.columns["key"])
            sent += np.bincount(places, minlength=partitioning.number)
            labels = tuple(streams.labels)
            yield _chunks(rows, stream, places, partitioning.number, schema, labels)
    except InputError as error:
        summary.problem = (*at, str(error))
    told = [pickle.dumps(replace(summary, sent=number)) for number in sent.tolist()]
    columns = zip(*((number, SUMMARY, 0, 0, b"") for number in range(len(told))), strict=True)
    yield _records(columns, pa.array(told, pa.binary()))


def checked_rows(
    batches: Iterator[pa.RecordBatch], layouts: Layouts, numbers: dict[int, int]
) -> Iterator[Cells]:
    """The rows of one task, checked, in pieces of consecutive rows of one file."""
    for piece in _pieces(batches, layouts, numbers):
        yield _checked(*piece, layouts)


def _pieces(
    batches: Iterator[pa.RecordBatch], layouts: Layouts, numbers: dict[int, int]
) -> Iterator[tuple[pa.RecordBatch, int, int]]:
    """Consecutive rows of one file as it has them, with its number and that of the first row."""
    for table in larger(batches):
        at = table.column(AT).to_numpy()
        breaks = np.flatnonzero(np.diff(at) != 1) + 1
        for start, end in zip([0, *breaks], [*breaks, len(at)], strict=True):
            file = numbers[int(at[start]) >> ROW_BITS]
            row = int(at[start]) % (1 << ROW_BITS)
            yield as_stored(table, int(start), int(end), file, layouts), file, row


def larger(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows in larger batches."""
    held, rows = [], 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= _ROWS:
            yield _together(held)
            held, rows = [], 0
    if rows:
        yield _together(held)


def _together(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def as_stored(
    table: pa.RecordBatch, start: int, end: int, file: int, layouts: Layouts
) -> pa.RecordBatch:
    """Some rows with the columns that their file has, in its own types."""
    of = layouts.files[file]
    columns = {}
    for index, name in enumerate(layouts.names):
        if name in of.schema.names:
            column = table.column(f"c{index}").slice(start, end - start)
            columns[name] = _restored(column, of.schema.field(name).type)
    batch = pa.RecordBatch.from_pydict(columns)
    if of.label is not None:
        batch = append_label(batch, layouts.layout.stream, of.label)
    return batch


def _restored(column: pa.Array, type_: pa.DataType) -> pa.Array:
    """Times and large numbers as the file means them; a file's seconds are stored in ms."""
    if types.is_dictionary(type_):
        type_ = type_.value_type
    if types.is_timestamp(type_):
        return column.view(pa.timestamp("ms" if type_.unit == "s" else type_.unit, type_.tz))
    if types.is_duration(type_):
        return column.view(type_)
    return column.cast(type_) if types.is_uint64(type_) else column


def _checked(batch: pa.RecordBatch, file: int, first: int, layouts: Layouts) -> Cells:
    layout, name, read = layouts.layout, layouts.files[file].name, batch.num_rows
    with refusing_broken_cells(name, first, read):
        batch, place = with_keys_only(batch, layout, layouts.request, Place(name, first))
        time = cells.times(batch.column(layout.time), layout.time_type, layout.time, place)
        columns = {"time": time, "stream": batch.column(layout.stream)}
        columns |= other_cells(batch, layout, place)
    return Cells(file, first, read, place, columns)


def note_rows(summary: Summary, rows: Cells, layouts: Layouts) -> None:
    """Add rows to the summary, and refuse times that go back within what the task has read."""
    span = Span(rows.file, rows.first, rows.read)
    before = summary.spans[-1] if summary.spans else None
    continues = before is not None and before[:2] == (span.file, span.first - before.rows)
    time = rows.columns["time"]
    if len(time):
        last = before.last_time if continues else None
        row = None if layouts.request.sort else first_step_back(time, last)
        if row is not None:
            then = time[row - 1] if row else last
            raise goes_back(rows.place, row, then, time[row], layouts.layout)
        span = span._replace(
            first_time=int(time[0]),
            last_time=int(time[-1]),
            least_time=int(time.min()),
            most_time=int(time.max()),
        )
    if continues:
        summary.spans[-1] = _joined(before, span)
    else:
        summary.spans.append(span)


def _joined(one: Span, other: Span) -> Span:
    """Two spans that follow each other as one."""
    rows = one.rows + other.rows
    if one.first_time is None or other.first_time is None:
        known = other if one.first_time is None else one
        return known._replace(first=one.first, rows=rows)
    return one._replace(
        rows=rows,
        last_time=other.last_time,
        least_time=min(one.least_time, other.least_time),
        most_time=max(one.most_time, other.most_time),
    )


def stream_ids(
    summary: Summary, streams: StreamEncoder, rows: Cells, layouts: Layouts
) -> np.ndarray:
    """Numbers for labels in the order in which this task meets them; each first row is noted."""
    ids = streams.encode(rows.columns["stream"], layouts.layout.stream, rows.place)
    for number in range(len(summary.labels), len(streams.labels)):
        row = rows.place.row(int(np.argmax(ids == number)))
        summary.labels[streams.labels[number]] = (rows.file, row)
    return ids


def _chunks(
    rows: Cells,
    stream: np.ndarray,
    places: np.ndarray,
    number: int,
    schema: pa.Schema,
    labels: tuple,
) -> pa.RecordBatch:
    """One chunk for each of so many partitions that has some of the rows."""
    batch, head = narrow(rows.columns | {"stream": stream}, schema)
    order, ends = rows_by_place(places, number)
    batch, head = batch.take(pa.array(order)), pickle.dumps((labels, head))
    bodies, chunks, start = [], [], 0
    for partition, end in enumerate(ends.tolist()):
        if end > start:
            bodies.append(batch.slice(start, end - start).serialize())
            for piece, at in enumerate(range(0, bodies[-1].size, _PIECE)):
                size = min(_PIECE, bodies[-1].size - at)
                chunks.append((partition, rows.file, rows.first, piece, head, size))
        start = end
    *columns, sizes = zip(*chunks, strict=True)
    ends = np.cumsum([0, *sizes], dtype=np.int32)
    together = pa.py_buffer(b"".join(bodies))
    body = pa.Array.from_buffers(pa.binary(), len(sizes), [None, pa.py_buffer(ends), together])
    return _records(columns, body)


def _records(columns: Iterable[tuple], body: pa.Array) -> pa.RecordBatch:
    arrays = [pa.array(column, t) for column, t in zip(columns, _SCHEMA.types[:-1], strict=True)]
    return pa.RecordBatch.from_arrays([*arrays, body], schema=_SCHEMA)
