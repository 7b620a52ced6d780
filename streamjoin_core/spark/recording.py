"""A trace's files as Spark reads them, and what executors must know to make sense of the rows.

Spark has no nanoseconds and one type per column for all files, so it is asked for bare numbers:
times come as the integers that the file stores, and each file's own schema says what they count.
A row is found by its file, told by a checksum of the file's name, and its number in the file, both
in one number: every column more takes Spark a tenth of its time.
"""

import os
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlparse

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import types

from streamjoin_core.errors import InputError
from streamjoin_core.trace.build import lay_out
from streamjoin_core.trace.layout import Layout, Request
from streamjoin_core.trace.read import Recording
from streamjoin_core.trace.source import Part

AT = "at"  # the column that tells a row's file, in the upper bits, and its number there
ROW_BITS = 31
_SIDE = -(2**32)  # checksums are below: right files have negative ones


@dataclass(frozen=True)
class File:
    """One of a trace's files; they are numbered in arrival order, left files before right ones."""

    name: str  # as messages name it
    schema: pa.Schema
    rows: int
    label: str | None  # of the stream of all rows, if no column tells
    side: int


@dataclass(frozen=True)
class Layouts:
    """What executors must know of a recording."""

    files: tuple[File, ...]
    names: tuple[str, ...]  # of the columns that Spark reads, as c0, c1, ...
    layout: Layout
    request: Request
    origin: str
    metadata: dict


def find_layouts(recording: Recording) -> Layouts:
    """Look at the files' own accounts of themselves; no row is read."""
    sides, metadata = recording.open()
    sides, layout = lay_out(sides, recording.request)
    files = [
        File(part.name, part.schema, part.rows, part.label, side)
        for side, parts in enumerate(sides)
        for part in parts
    ]
    labelled = {layout.stream} if files[0].label is not None else set()
    names = tuple(name for name in layout.names if name not in labelled)
    for part in (part for side in sides for part in side):
        _refuse_what_spark_cannot_read(part, names)
    return Layouts(tuple(files), names, layout, recording.request, recording.origin, metadata)


def read_rows(session, recording: Recording, layouts: Layouts):
    """A DataFrame of all rows: the columns, and where each row is."""
    from pyspark.sql import functions as F

    frames = []
    paths = [recording.path] if recording.left is None else [recording.left, recording.right]
    for side, path in enumerate(paths):
        own = [file for file in layouts.files if file.side == side]
        schema = ", ".join(f"{_quoted(n)} {_spark_type(own, n)}" for n in layouts.names)
        frame = session.read.schema(schema).parquet(_literally(Path(path).resolve().as_uri()))
        name = F.col("_metadata.file_name")
        checksum = F.crc32(name.cast("binary")) + F.lit(side * _SIDE)
        columns = [F.col(_quoted(n)).alias(f"c{i}") for i, n in enumerate(layouts.names)]
        at = F.shiftleft(checksum, ROW_BITS).bitwiseOR(F.col("_metadata.row_index"))
        frames.append((frame, frame.select(*columns, at.alias(AT))))
    numbers = _numbers([frame.inputFiles() for frame, _ in frames], layouts)
    rows = frames[0][1] if len(frames) == 1 else frames[0][1].unionAll(frames[1][1])
    return rows, numbers


def _numbers(inputs: list[list[str]], layouts: Layouts) -> dict[int, int]:
    """The files' numbers by what tells them in a row."""
    known = {(file.side, os.path.basename(file.name)): n for n, file in enumerate(layouts.files)}
    numbers: dict[int, int] = {}
    for side, addresses in enumerate(inputs):
        for address in addresses:
            name = urlparse(address).path.rpartition("/")[2]
            number = known.get((side, unquote(name)))
            checksum = side * _SIDE + zlib.crc32(name.encode())
            if number is None or checksum in numbers:
                reason = "is not a file of the trace" if number is None else "has a name's checksum"
                raise InputError(f"{address} {reason}: give the files other names")
            numbers[checksum] = number
    return numbers


def _refuse_what_spark_cannot_read(part: Part, names: tuple[str, ...]) -> None:
    if part.rows >= 1 << ROW_BITS:
        raise InputError(f"{part.name} has {part.rows} rows, too many for one file: split it")
    for name in names:
        type_ = part.schema.field(name).type if name in part.schema.names else pa.null()
        if _plain_type(type_) is None:
            raise InputError(
                f"{part.name}: column {name!r} is of type {type_}, which Spark does not read: "
                "convert the file with sjoin ingest"
            )
        if types.is_timestamp(type_) and type_.unit == "ns":
            _refuse_int96(part.name, name)


def _refuse_int96(path: str, name: str) -> None:
    stored = pq.ParquetFile(path).schema
    column = next(stored.column(i) for i in range(len(stored)) if stored.column(i).path == name)
    if column.physical_type == "INT96":
        raise InputError(
            f"{path}: column {name!r} is of the old type INT96, of which Spark cuts off the "
            "nanoseconds: convert the file with sjoin ingest"
        )


def _spark_type(files: list[File], name: str) -> str:
    """The type to ask Spark for; a column of nulls goes with every type."""
    found = {_plain_type(f.schema.field(name).type) for f in files if name in f.schema.names}
    found.discard("void")
    wide = found - {"bigint"}
    return next(iter(wide or found), "bigint")


def _plain_type(type_: pa.DataType) -> str | None:
    """Spark's type for what a file stores; None for what it does not read."""
    if types.is_dictionary(type_):
        return _plain_type(type_.value_type)
    if types.is_null(type_):
        return "void"
    if types.is_uint64(type_):
        return "decimal(20,0)"
    if types.is_integer(type_) or types.is_timestamp(type_) or types.is_duration(type_):
        return "bigint"
    if types.is_float32(type_) or types.is_float64(type_):
        return "double"
    if types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_):
        return "string"
    if types.is_decimal128(type_):
        return f"decimal({type_.precision},{type_.scale})"
    return {"bool": "boolean", "date32[day]": "date"}.get(str(type_))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _literally(address: str) -> str:
    """The address without its meaning as a pattern; a percent sign would be read again."""
    return re.sub(r"([{}\[\]*?\\])", r"\\\1", unquote(address))
