"""Which partition each key goes to, and a trace cut accordingly."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamjoin_core.engine.compiled import compiled
from streamjoin_core.trace.hashing import column_of_keys, key_hashes
from streamjoin_core.trace.trace import Trace


@dataclass(frozen=True)
class Partitioning:
    """A key's partition is its hash modulo the number of partitions, unless it was moved."""

    number: int
    moved: dict = field(default_factory=dict)  # partition by key, of heavy keys

    def places(self, keys: np.ndarray | pa.Array) -> np.ndarray:
        """The partition of each key; keys as a trace has them, or strings as an Arrow column."""
        places = (key_hashes(keys) % np.uint64(self.number)).astype(np.int32)
        if self.moved:
            column = column_of_keys(keys)
            heavy = pa.array(list(self.moved), column.type)
            index = pc.index_in(column, heavy).fill_null(-1).to_numpy(zero_copy_only=False)
            is_moved = index >= 0
            places[is_moved] = np.array(list(self.moved.values()), np.int32)[index[is_moved]]
        return places


def cut(trace: Trace, partitioning: Partitioning) -> Iterator[Trace]:
    """The partitions of a trace, one after the other, so that not all need be held at once."""
    if partitioning.number == 1:
        yield trace
        return
    place_of_key = partitioning.places(trace.key_values)
    places = place_of_key.astype(np.min_scalar_type(partitioning.number))[trace.key]
    order, ends = rows_by_place(places, partitioning.number)
    del places
    new_key = np.empty(len(place_of_key), np.int32)
    for number, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        rows = order[start:end].astype(np.intp)
        keys = np.flatnonzero(place_of_key == number)
        new_key[keys] = np.arange(len(keys), dtype=np.int32)
        own = rows_of(trace, rows)
        yield replace(own, key=new_key[own.key], key_values=trace.key_values[keys])


def rows_by_place(places: np.ndarray, number: int) -> tuple[np.ndarray, np.ndarray]:
    """All rows, those of one partition together and in order, and where each partition ends."""
    ends = np.zeros(number + 1, np.int64)
    order = np.empty(len(places), np.min_scalar_type(len(places)))
    _sort(places, ends, order)
    return order, ends[:-1]


@compiled
def _sort(places, ends, order):
    """Put rows where those of their place are; `ends` has one more place than there are."""
    for row in range(len(places)):
        ends[places[row] + 1] += 1
    for place in range(len(ends) - 1):
        ends[place + 1] += ends[place]
    for row in range(len(places)):
        order[ends[places[row]]] = row
        ends[places[row]] += 1


def rows_of(trace: Trace, rows: np.ndarray | slice) -> Trace:
    """Some rows of a trace, which keeps its key values."""
    names = ("time", "stream", "key", "importance", "value", "group", "attribute")
    columns = {name: getattr(trace, name) for name in names}
    own = {name: column[rows] for name, column in columns.items() if column is not None}
    if trace.redefinition is not None:
        own_kind = replace(trace.redefinition, kind=trace.redefinition.kind[rows])
        own["redefinition"] = own_kind.of_kinds_that_occur()
    return replace(trace, **own)
