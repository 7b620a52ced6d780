"""Writing traces as Parquet, all or nothing."""

import json
import os
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from streamjoin_core.errors import InputError
from streamjoin_core.files import atomic_path
from streamjoin_core.trace.trace import Trace

_GROUP_ROWS = 1 << 20


def write_trace(
    trace: Trace | pa.Table,
    path: str | os.PathLike,
    metadata: dict | None = None,
    *,
    extra: dict[str, pa.DictionaryArray] | None = None,
) -> None:
    """Write a trace, or a table with a trace's columns, with the account of how it was made.

    `metadata` must be JSON; without it a trace's own is kept. Groups are not written: they repeat
    a column of the file that they were read from. `extra` adds columns of that kind to a trace's.
    """
    if isinstance(trace, Trace):
        metadata = trace.metadata if metadata is None else metadata
        schema, tables = _schema(trace), _tables(trace)
        if extra:
            schema, tables = _with_extra(schema, tables, extra)
    else:
        schema = trace.schema
        tables = (trace.slice(at, _GROUP_ROWS) for at in range(0, len(trace), _GROUP_ROWS))
    write_tables(schema, tables, path, metadata)


def write_tables(
    schema: pa.Schema, tables: Iterable[pa.Table], path: str | os.PathLike, metadata: dict | None
) -> None:
    """Write tables with a trace's columns, one after the other, a row group each."""
    if metadata:
        made = json.dumps(metadata, allow_nan=False).encode()
        schema = schema.with_metadata({**(schema.metadata or {}), b"sjoin": made})
    with atomic_path(path) as temporary:
        try:
            with pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
                for table in tables:
                    writer.write_table(table.cast(schema), row_group_size=_GROUP_ROWS)
        except pa.ArrowException as error:
            raise InputError(f"cannot write {path} as Parquet: {error}") from error


def _schema(trace: Trace) -> pa.Schema:
    unit = trace.time_unit
    label = _label_type(trace.labels)
    fields = {
        "time": pa.timestamp(unit) if unit else pa.int64(),
        "stream": pa.dictionary(pa.int8(), label) if pa.types.is_string(label) else label,
        "key": pa.from_numpy_dtype(trace.key_values.dtype) if trace.numeric_keys else pa.string(),
    }
    optional = {"importance": trace.importance, "value": trace.value}
    fields |= {name: pa.float64() for name, array in optional.items() if array is not None}
    return pa.schema(list(fields.items()))


def _label_type(labels: tuple) -> pa.DataType:
    return pa.array(list(labels)).type if labels else pa.string()


def _tables(trace: Trace) -> Iterator[pa.Table]:
    """The trace a row group at a time, so that no second copy of it is made."""
    schema = _schema(trace)
    labels = pa.array(list(trace.labels), _label_type(trace.labels))
    keys = pa.array(trace.key_values, schema.field("key").type)
    for start in range(0, len(trace), _GROUP_ROWS):
        rows = slice(start, start + _GROUP_ROWS)
        columns = {
            "time": pa.array(trace.time[rows]).cast(schema.field("time").type),
            "stream": pa.DictionaryArray.from_arrays(trace.stream[rows].view("int8"), labels),
            "key": keys.take(pa.array(trace.key[rows])),
        }
        if trace.importance is not None:
            columns["importance"] = pa.array(trace.importance[rows])
        if trace.value is not None:
            columns["value"] = pa.array(trace.value[rows])
        yield pa.table(columns)


def _with_extra(
    schema: pa.Schema, tables: Iterator[pa.Table], extra: dict[str, pa.DictionaryArray]
) -> tuple[pa.Schema, Iterator[pa.Table]]:
    """More columns, decoded a row group at a time."""
    for name, column in extra.items():
        schema = schema.append(pa.field(name, column.type.value_type))

    def extended() -> Iterator[pa.Table]:
        start = 0
        for table in tables:
            end = start + len(table)
            for name, column in extra.items():
                table = table.append_column(name, column[start:end].dictionary_decode())
            yield table
            start = end

    return schema, extended()
