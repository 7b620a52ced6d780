"""libCacheSim's oracleGeneral: 24-byte records of time, object id, size and next access."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from streamjoin_core.errors import InputError
from streamjoin_core.trace.ingest.raw import Dialect, Raw, byte_stream, is_compressed, reading
from streamjoin_core.trace.source import BATCH_ROWS

NAME = "oracle-general"
SUFFIXES = (".oraclegeneral", ".oraclegeneral.bin")

_RECORD = np.dtype([("time", "<u4"), ("key", "<u8"), ("size", "<u4"), ("next_access", "<i8")])
_TYPES = {"time": pa.uint32(), "key": pa.int64(), "size": pa.uint32(), "next_access": pa.int64()}


class File(Raw):
    """Object ids from 2**63 on, where int64 ends, become negative: each by 2**64 less, so all stay
    distinct."""

    def __init__(self, path: str, dialect: Dialect):
        self.name = path
        self.names = list(_TYPES)
        with reading(path, "an oracleGeneral trace"), byte_stream(path) as stream:
            self.rows = None if is_compressed(path) else stream.size() // _RECORD.itemsize

    def schema(self, names: list[str]) -> pa.Schema:
        return pa.schema([(name, _TYPES[name]) for name in names])

    def batches(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        schema, rows = self.schema(names), 0
        with reading(self.name, "an oracleGeneral trace"), byte_stream(self.name) as stream:
            while data := stream.read(BATCH_ROWS * _RECORD.itemsize):
                if len(data) % _RECORD.itemsize:
                    rows += len(data) // _RECORD.itemsize
                    raise InputError(
                        f"{self.name}: row {rows} (counted from 0) is cut short, as records have "
                        f"{_RECORD.itemsize} bytes: get the whole file, or say its format with "
                        "--format"
                    )
                records = np.frombuffer(data, _RECORD)
                rows += len(records)
                yield pa.record_batch([_column(records, name) for name in names], schema=schema)


def _column(records: np.ndarray, name: str) -> pa.Array:
    column = np.ascontiguousarray(records[name])
    return pa.array(column.view(np.int64) if name == "key" else column, _TYPES[name])
