"""Parquet files whose columns are not yet a trace's."""

from collections.abc import Iterator

import pyarrow as pa

from streamjoin_core.errors import InputError
from streamjoin_core.trace.ingest.raw import Dialect, Raw, reading
from streamjoin_core.trace.read import parquet_part

NAME = "parquet"
SUFFIXES = (".parquet", ".pq")

_MAGIC = b"PAR1"


class File(Raw):
    def __init__(self, path: str, dialect: Dialect):
        self.name = path
        with reading(path, "a Parquet file"), open(path, "rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise InputError(f"{path} is not a Parquet file: say what it is with --format")
            self._part, _ = parquet_part(path)
            self.names = self._part.schema.names
        self.rows = self._part.rows

    def schema(self, names: list[str]) -> pa.Schema:
        return pa.schema([self._part.schema.field(name) for name in names])

    def batches(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        with reading(self.name, "a Parquet file"):
            for batch in self._part.batches(names):
                # Text and indices are checked here, since what comes later trusts them.
                batch.validate(full=True)
                yield batch
