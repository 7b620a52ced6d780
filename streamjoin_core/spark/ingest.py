"""Raw files become a trace over a Spark cluster, file by file.

Executors look through the files, then all agree on types, then each file becomes a Parquet file of
the trace. Spark sorts them by time only if that is not yet their order. The folder appears under
its name when everything is in it; files must be where executors see and write them.
"""

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from streamjoin_core.errors import InputError
from streamjoin_core.files import reason
from streamjoin_core.progress import Progress
from streamjoin_core.spark.chunks import Cells, Summary, note_rows, stream_ids
from streamjoin_core.spark.cluster import Cluster
from streamjoin_core.spark.gathering import check_summaries
from streamjoin_core.spark.items import results_on
from streamjoin_core.spark.recording import File, Layouts
from streamjoin_core.spark.session import spark_session
from streamjoin_core.spark.sorting import distinct_keys, sort_rows
from streamjoin_core.trace import cells
from streamjoin_core.trace.build import (
    lay_out,
    other_cells,
    refusing_broken_cells,
    with_keys_only,
)
from streamjoin_core.trace.ingest.plan import Plan, Times
from streamjoin_core.trace.ingest.question import Question, RawFile
from streamjoin_core.trace.ingest.raw import Raw
from streamjoin_core.trace.layout import find_layout
from streamjoin_core.trace.source import Part, Place
from streamjoin_core.trace.streams import StreamEncoder
from streamjoin_core.trace.write import write_tables

_LABELS = pa.dictionary(pa.int8(), pa.string())
_KINDS = {"integer": pa.int64(), "double": pa.float64()}  # of keys and kept columns; else text


@dataclass(frozen=True, eq=False)
class Seen:
    """A file that was looked through."""

    plan: Plan
    raw: Raw
    schema: pa.Schema
    rows: int


@dataclass(frozen=True, eq=False)
class Work:
    """What becomes of every file."""

    question: Question
    plan: Plan
    seen: list[Seen]
    layouts: Layouts
    kinds: dict[str, str]  # of the columns to keep
    folder: Path


@dataclass
class Converted(Summary):
    """What was in a file that is a file of the trace now."""

    has_gone_back: bool = False  # its times


def ingest_on(
    cluster: Cluster,
    question: Question,
    times: Times,
    output: str | os.PathLike,
    progress: Progress,
) -> dict:
    """Convert raw files into a folder; returns what was done."""
    files = tuple(replace(file, path=os.path.abspath(file.path)) for file in question.files)
    question = replace(question, files=files)
    with new_folder(output) as folder:
        progress("starting Spark", 0, 0)
        with spark_session(cluster) as session:
            look = partial(_look, question, times)
            work = _agreed(question, results_on(session, look, list(files), progress), folder)
            numbers = list(range(len(files)))
            summaries = results_on(session, partial(_convert, work), numbers, progress)
            labels = check_summaries(summaries, work.layouts)
            rows = sum(summary.sent for summary in summaries)
            if rows == 0:
                _write_nothing(work)
            is_in_order = _is_in_order(summaries, work.layouts)
            if not is_in_order or len({file.side for file in files}) > 1:
                sort_rows(session, folder, question.request.problem, rows, progress)
            keys = distinct_keys(session, folder, progress)
    return question.made | {
        "rows": rows,
        "dropped": sum(file.rows for file in work.layouts.files) - rows,
        "sorted": not is_in_order,
        "rounded": work.plan.is_rounded,
        "problem": question.request.problem,
        "streams": list(labels),
        "keys": keys,
        "time_unit": work.layouts.layout.time_unit,
        "fingerprint": None,  # nobody has seen all rows
    }


@contextmanager
def new_folder(path: str | os.PathLike) -> Iterator[Path]:
    """A folder beside the one wanted, which it becomes in the end, or else vanishes."""
    target = Path(os.path.abspath(path))
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise InputError(f"cannot write {path}: it is there already, name a new folder")
    temporary = target.with_name(f".{secrets.token_hex(4)}-{target.name}")
    try:
        temporary.mkdir()
    except OSError as error:
        raise InputError(f"cannot write {path}: {reason(error)}") from error
    try:
        yield temporary
        try:
            os.replace(temporary, target)
        except OSError as error:
            raise InputError(f"cannot write {path}: {reason(error)}") from error
    finally:
        with suppress(OSError):
            shutil.rmtree(temporary)


def _look(question: Question, times: Times, file: RawFile) -> Seen:
    plan, raw = Plan(question.request.columns, times), file.open()
    schema, rows = plan.look_through(raw, list(question.names))
    return Seen(plan, raw, schema, rows)


def _agreed(question: Question, seen: list[Seen], folder: Path) -> Work:
    """What all files together make of their columns."""
    plan, request = seen[0].plan, question.request
    for one in seen[1:]:
        plan.agree(one.plan)
    parts = [plan.part(one.raw, one.schema, one.rows) for one in seen]
    sides, layout = lay_out(question.sides(parts), request)
    files = [
        File(part.name, part.schema, part.rows, part.label, side)
        for side, some in enumerate(sides)
        for part in some
    ]
    layouts = Layouts(tuple(files), question.names, layout, request, question.origin, {})
    parts = [part for side in sides for part in side]
    kinds = {
        name: find_layout(parts, replace(request, group_by=name)).group_kind
        for name in question.keep
    }
    return Work(question, plan, seen, layouts, kinds, folder)


def _convert(work: Work, number: int) -> Converted:
    """Write one file as a file of the trace."""
    question = work.question
    parts = [work.plan.part(one.raw, one.schema, one.rows) for one in work.seen]
    sides, _ = lay_out(question.sides(parts), question.request)
    converted = Converted()
    tables = _tables(work, [part for side in sides for part in side][number], number, converted)
    first = next(tables, None)
    if first is not None:
        _write(work, number, first.schema, _chain(first, tables))
    converted.has_gone_back = work.plan.has_gone_back
    return converted


def _write_nothing(work: Work) -> None:
    """One file with no rows, which tells the columns."""
    layout, kinds = work.layouts.layout, work.kinds
    columns = {"time": pa.array([], pa.int64()), "key": _no_cells(layout.key_kind)}
    columns |= {
        role: pa.array([], pa.float64())
        for role in ("importance", "value")
        if getattr(layout, role) is not None
    }
    columns["kept"] = {name: _no_cells(kind) for name, kind in kinds.items()}
    table = _table(columns, pa.array([], pa.string()), pa.array([], pa.int8()), work)
    _write(work, 0, table.schema, [table])


def _no_cells(kind: str) -> pa.Array:
    return pa.array([], _KINDS.get(kind, pa.string()))


def _write(work: Work, number: int, schema: pa.Schema, tables: Iterable[pa.Table]) -> None:
    path = work.folder / f"part-{number:05}.parquet"
    write_tables(schema, tables, path, {"ingested": work.question.made})


def _chain(first: pa.Table, others: Iterator[pa.Table]) -> Iterator[pa.Table]:
    yield first
    yield from others


def _tables(work: Work, part: Part, number: int, summary: Summary) -> Iterator[pa.Table]:
    """A file's rows with the columns of a trace, noted on the way."""
    layouts = work.layouts
    layout, request = layouts.layout, layouts.request
    streams, first = StreamEncoder(request.problem), 0
    for read in part.batches(list(dict.fromkeys([*layout.names, *work.kinds]))):
        with refusing_broken_cells(part.name, first, read.num_rows):
            batch, place = with_keys_only(read, layout, request, Place(part.name, first))
            time = cells.times(batch.column(layout.time), layout.time_type, layout.time, place)
            columns = {"time": time, "stream": batch.column(layout.stream)}
            columns |= other_cells(batch, layout, place)
            columns["kept"] = {
                name: cells.encodable(batch.column(name), kind, name, place)
                for name, kind in work.kinds.items()
            }
        rows = Cells(number, first, read.num_rows, place, columns)
        note_rows(summary, rows, layouts)
        first += read.num_rows
        if len(time):
            ids = stream_ids(summary, streams, rows, layouts)
            summary.sent += len(time)
            yield _table(columns, pa.array(streams.labels), pa.array(ids), work)


def _table(columns: dict, labels: pa.Array, ids: pa.Array, work: Work) -> pa.Table:
    """Cells as a trace's file has them."""
    unit = work.layouts.layout.time_unit
    time, stream = pa.array(columns["time"]), labels.take(ids)
    made = {
        "time": time.cast(pa.timestamp(unit)) if unit else time,
        "stream": stream.cast(_LABELS) if pa.types.is_string(stream.type) else stream,
        "key": _plain(columns["key"]),
    }
    made |= {name: pa.array(columns[name]) for name in ("importance", "value") if name in columns}
    return pa.table(made | {name: _plain(column) for name, column in columns["kept"].items()})


def _plain(column: np.ndarray | pa.Array) -> pa.Array:
    if isinstance(column, np.ndarray):
        return pa.array(column)
    column = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
    return column.cast(pa.string()) if pa.types.is_large_string(column.type) else column


def _is_in_order(found: list[Converted], layouts: Layouts) -> bool:
    """Whether each side is in order of time as it is."""
    last: dict[int, int] = {}
    for one in found:
        for span in one.spans:
            if span.first_time is not None:
                side = layouts.files[span.file].side
                if one.has_gone_back or span.first_time < last.get(side, span.first_time):
                    return False
                last[side] = span.last_time
    return True
