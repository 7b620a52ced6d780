"""Rows as few bytes, since each is copied many times on its way from one executor to another.

Whole numbers are stored as what they exceed the least of them by, in as few bytes as will do.
"""

import pickle

import numpy as np
import pyarrow as pa


def narrow(columns: dict, schema: pa.Schema) -> tuple[pa.RecordBatch, bytes]:
    """A batch of these columns, of numpy or Arrow, and what it takes to read it."""
    arrays, least = {}, {}
    for field in schema:
        column = columns[field.name]
        if isinstance(column, np.ndarray) and column.dtype == np.int64:
            low = column.min()
            least[field.name] = int(low)
            # A difference too large for its type comes right again when it is added.
            span = int(column.max()) - int(low)
            arrays[field.name] = pa.array((column - low).astype(np.min_scalar_type(span)))
        else:
            arrays[field.name] = pa.array(column).cast(field.type)
    batch = pa.RecordBatch.from_pydict(arrays)
    return batch, pickle.dumps((batch.schema, least))


def read_narrow(body: pa.Buffer, head: bytes) -> tuple[pa.RecordBatch, dict[str, int]]:
    """Such a batch, or a part of it, from its bytes; and what to add to its columns."""
    schema, least = pickle.loads(head)
    return pa.ipc.read_record_batch(body, schema), least


def widen(batch: pa.RecordBatch, least: dict[str, int], schema: pa.Schema) -> pa.RecordBatch:
    """The rows as they were."""
    arrays = [
        _added(batch.column(field.name), least.get(field.name)).cast(field.type) for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _added(column: pa.Array, least: int | None) -> pa.Array:
    if least is None:
        return column
    return pa.array(column.to_numpy().astype(np.int64) + np.int64(least))
