"""Where arrivals come from: parts that yield Arrow batches, and how messages name their rows."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from streamjoin_core.errors import InputError
from streamjoin_core.trace.columns import Columns

# Rows converted at a time: what reading needs beyond the trace's own arrays grows with it.
BATCH_ROWS = 1 << 17


@dataclass(frozen=True)
class Part:
    """One file or table: what is in it, and its rows in order, given the columns wanted."""

    name: str
    schema: pa.Schema
    rows: int
    batches: Callable[[list[str]], Iterable[pa.RecordBatch]]
    label: str | None = None  # of the stream of all rows, if no column tells


def with_label(part: Part, columns: Columns, label: str) -> Part:
    """The part with `label` in every row of the stream column, whatever the file holds there."""
    column = columns.stream
    if column in (columns.time, columns.key, columns.importance, columns.value):
        raise InputError(
            f"column {column!r} of {part.name} has two roles, stream and another: choose another "
            "name for the stream with --stream-col"
        )
    field = pa.field(column, pa.dictionary(pa.int8(), pa.string()))
    index = part.schema.get_field_index(column)
    schema = part.schema.append(field) if index < 0 else part.schema.set(index, field)

    def batches(names: list[str]) -> Iterator[pa.RecordBatch]:
        for batch in part.batches([name for name in names if name != column]):
            yield append_label(batch, column, label)

    return replace(part, schema=schema, batches=batches, label=label)


def append_label(batch: pa.RecordBatch, column: str, label: str) -> pa.RecordBatch:
    """The batch with a column that has the same label in every row."""
    first = np.zeros(batch.num_rows, np.int8)
    return batch.append_column(column, pa.DictionaryArray.from_arrays(first, pa.array([label])))


def how_made(stored: dict | None) -> dict:
    """The account under "sjoin" in a schema's metadata; anything but a JSON object is not ours."""
    try:
        made = json.loads((stored or {}).get(b"sjoin", b"{}"))
    except ValueError:
        return {}
    return made if isinstance(made, dict) else {}


@dataclass(frozen=True)
class Place:
    """Where a batch's rows stand in their part."""

    name: str
    first: int
    kept: np.ndarray | None = None  # positions in the batch as read, when rows were dropped

    def keeping(self, kept: np.ndarray) -> "Place":
        return replace(self, kept=kept)

    def row(self, index: int) -> int:
        """The number in its part of a row, given by its position in the batch."""
        return self.first + int(index if self.kept is None else self.kept[index])

    def error(self, column: str, index: int, problem: str) -> InputError:
        """The error of one cell, given by its position in the batch."""
        row = self.row(index)
        return InputError(f"{self.name}: column {column!r}, row {row} (counted from 0) {problem}")
