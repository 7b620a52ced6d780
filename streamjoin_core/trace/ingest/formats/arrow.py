"""Arrow IPC: files (which Feather is) and streams."""

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
from pyarrow import ipc

from streamjoin_core.errors import InputError
from streamjoin_core.trace.ingest.raw import Dialect, Raw, byte_stream, is_compressed, reading
from streamjoin_core.trace.source import BATCH_ROWS

NAME = "arrow"
SUFFIXES = (".arrow", ".arrows", ".feather", ".ipc")

_MAGIC = b"ARROW1"


class File(Raw):
    def __init__(self, path: str, dialect: Dialect):
        self.name = path
        with reading(path, "an Arrow file or stream"), byte_stream(path) as stream:
            self._is_stream = stream.read(len(_MAGIC)) != _MAGIC
        if is_compressed(path) and not self._is_stream:
            raise InputError(f"{path} is an Arrow file within another: decompress it first")
        with self._open() as (schema, _):
            self._schema = schema
            self.names = schema.names

    def schema(self, names: list[str]) -> pa.Schema:
        return pa.schema([self._schema.field(name) for name in names])

    def batches(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        included = [self.names.index(name) for name in names]
        with self._open(included) as (_, batches):
            for batch in batches:
                batch = batch.select(names)
                # Text and offsets are checked here, since compute functions trust them.
                batch.validate(full=True)
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    yield batch.slice(start, BATCH_ROWS)

    @contextmanager
    def _open(self, included: list[int] | None = None) -> Iterator[tuple]:
        """The schema, and the batches with the columns of these positions."""
        options = ipc.IpcReadOptions(included_fields=included or [])
        with reading(self.name, "an Arrow file or stream"):
            if self._is_stream:
                with byte_stream(self.name) as stream:
                    reader = ipc.open_stream(stream, options=options)
                    yield reader.schema, reader
            else:
                with pa.memory_map(self.name) as file:
                    reader = ipc.open_file(file, options=options)
                    batches = (reader.get_batch(i) for i in range(reader.num_record_batches))
                    yield reader.schema, batches
