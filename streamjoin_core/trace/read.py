"""Traces from Parquet files and folders."""

import base64
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import types

from streamjoin_core.errors import InputError
from streamjoin_core.files import reason
from streamjoin_core.progress import Progress
from streamjoin_core.trace.build import assemble
from streamjoin_core.trace.columns import Columns
from streamjoin_core.trace.importance import find_importance
from streamjoin_core.trace.layout import Request
from streamjoin_core.trace.source import BATCH_ROWS, Part, how_made, with_label
from streamjoin_core.trace.trace import Trace

_BUFFER_BYTES = 1 << 20


def read_trace(
    path: str | os.PathLike | None = None,
    *,
    left: str | os.PathLike | None = None,
    right: str | os.PathLike | None = None,
    columns: Columns | None = None,
    sort: bool = False,
    null_keys: str = "error",
    group_by: str | None = None,
    importance: str | os.PathLike | Mapping | None = None,
    importance_bins: str | os.PathLike | Mapping | None = None,
    problem: str = "joining",
    progress: Progress | None = None,
) -> Trace:
    """Read a trace from a Parquet file or folder, or from two, `left` and `right`.

    Arrival order in a folder is by file name, then by row; files whose names start with "_" or "."
    do not count. Two inputs need no stream column (one that is there is ignored): they are merged
    by time, left rows before right rows of equal time, and labelled "left" and "right". Only the
    columns needed are read, a piece at a time. `sort` sorts by time, rows of equal time keeping
    their order; `null_keys="drop"` leaves out rows whose key is null or NaN. `importance` is a
    table of what tuples are worth, instead of a column: see `streamjoin_core.trace.importance`.
    """
    worth = find_importance(importance, importance_bins)
    request = Request(columns or Columns(), sort, null_keys, group_by, worth, problem)
    return Recording(path, left, right, request).read(progress)


@dataclass(frozen=True)
class Recording:
    """Where a trace's files are, and how they are to be read: one path, or a left and a right."""

    path: str | os.PathLike | None
    left: str | os.PathLike | None
    right: str | os.PathLike | None
    request: Request

    @property
    def origin(self) -> str:
        """The path as the user gave it."""
        return str(self.path) if self.left is None else f"{self.left} + {self.right}"

    def read(self, progress: Progress | None = None) -> Trace:
        sides, metadata = self.open()
        return assemble(
            sides, self.request, origin=self.origin, metadata=metadata, progress=progress
        )

    def open(self) -> tuple[list[list[Part]], dict]:
        """The files of each side in order, and the account of how they were made."""
        if self.path is not None and self.left is None and self.right is None:
            parts, metadata = _parts(self.path)
            return [parts], metadata
        if self.path is not None or self.left is None or self.right is None:
            raise InputError("name either one trace, or both a left and a right one")
        if self.request.problem == "caching":
            raise InputError("caching has one stream: name one trace, not a left and a right one")
        sides, metadata = [], {}
        for label, side in (("left", self.left), ("right", self.right)):
            parts, made = _parts(side)
            sides.append([with_label(part, self.request.columns, label) for part in parts])
            if made:
                metadata[label] = made
        return sides, metadata


def _parts(path: str | os.PathLike) -> tuple[list[Part], dict]:
    """The files at `path` in order, and the first one's account of how it was made."""
    files = files_in(path) if os.path.isdir(path) else [os.fspath(path)]
    opened = [parquet_part(file) for file in files]
    return [part for part, _ in opened], opened[0][1]


def files_in(folder: str | os.PathLike, what: str = "Parquet files") -> list[str]:
    """The files of a folder, in order of their names."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise InputError(f"cannot read {folder}: {reason(error)}") from error
    entries = [entry for entry in entries if not entry.name.startswith(("_", "."))]
    nested = next((entry for entry in entries if entry.is_dir()), None)
    if nested:
        raise InputError(
            f"{folder} holds the folder {nested.name!r}, and arrivals in folders within a folder "
            "have no order: put all files in one"
        )
    if not entries:
        raise InputError(f"{folder} is a folder without {what}: name one that has some")
    return [str(Path(folder) / entry.name) for entry in entries]


def parquet_part(path: str) -> tuple[Part, dict]:
    """One Parquet file, and its account of how it was made."""
    with _reading(path), pq.ParquetFile(path) as file:
        stored = file.metadata.metadata or {}
        schema = _restore_seconds(file.schema_arrow, stored)
        rows = file.metadata.num_rows
    return Part(path, schema, rows, partial(_batches, path, schema)), how_made(stored)


def _batches(path: str, schema: pa.Schema, names: list[str]) -> Iterator[pa.RecordBatch]:
    """The file's rows in order; strings as dictionaries, which is how Parquet stores most."""
    options = {
        "read_dictionary": [name for name in names if _is_text(schema.field(name).type)],
        # Together these bound the memory for a file of one huge row group.
        "buffer_size": _BUFFER_BYTES,
        "pre_buffer": False,
    }
    with _reading(path), pq.ParquetFile(path, **options) as file:
        for group in range(file.num_row_groups):
            for batch in file.iter_batches(BATCH_ROWS, row_groups=[group], columns=names):
                yield batch
                pa.default_memory_pool().release_unused()  # else it grows beside our own arrays


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Turn what Arrow and the system say about a file into one sentence."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot read {path}: {reason(error)}") from error
    except pa.ArrowException as error:
        raise InputError(
            f"{path} is not a Parquet file, or it is truncated: write it anew, or convert another "
            "format with sjoin ingest"
        ) from error


def _is_text(type_: pa.DataType) -> bool:
    return types.is_string(type_) or types.is_large_string(type_)


def _restore_seconds(schema: pa.Schema, stored: dict) -> pa.Schema:
    """Give timestamps written in seconds their unit back: Parquet itself keeps milliseconds."""
    if b"ARROW:schema" not in stored:
        return schema
    written = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(stored[b"ARROW:schema"])))
    for field in written:
        index = schema.get_field_index(field.name)
        if index >= 0 and types.is_timestamp(field.type) and field.type.unit == "s":
            schema = schema.set(index, field)
    return schema
