"""Dense ids for keys and groups, given out batch by batch without keeping the original column.

An encoder has `encode(cells)`, which gives a batch's cells ids in order of first sight, and
`finish(ids)`, which renumbers all ids in place so that they ascend with the values, and returns
the values. Numbers come as int64 or float64 arrays, strings as Arrow arrays.
"""

import numpy as np
import pyarrow as pa
from pyarrow import types

from streamjoin_core.trace.cells import numbers

# Below this, loading compiled code takes longer than it saves.
SMALL_ROWS = 200_000

_CHUNK = 1 << 20


def new_encoder(kind: str, rows: int):
    """The encoder for cells of this kind ("string", "double", else integers) in so many rows."""
    dtype = {"string": object, "double": np.float64}.get(kind, np.int64)
    if dtype is object or rows < SMALL_ROWS:
        return DictionaryEncoder(dtype)
    from streamjoin_core.trace.keytable import TableEncoder

    return TableEncoder(dtype)


class DictionaryEncoder:
    """Looks each batch's distinct values up in one Python dictionary."""

    def __init__(self, dtype: type):
        self._dtype = dtype
        self._ids: dict = {}

    def encode(self, cells: np.ndarray | pa.Array) -> np.ndarray:
        if self._dtype is object:
            distinct, inverse = _distinct_strings(cells)
        else:
            distinct, inverse = np.unique(cells, return_inverse=True)
        ids = self._ids
        found = (ids.setdefault(value, len(ids)) for value in distinct.tolist())
        return np.fromiter(found, np.int32, len(distinct))[inverse]

    def finish(self, ids: np.ndarray) -> np.ndarray:
        values = np.fromiter(self._ids, self._dtype, len(self._ids))
        return renumber(ids, values)


def renumber(ids: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Renumber ids in place so that they ascend with their values; the values, ascending."""
    order = np.argsort(values, kind="stable")
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    for start in range(0, len(ids), _CHUNK):
        chunk = ids[start : start + _CHUNK]
        chunk[:] = rank[chunk]
    return values[order]


def _distinct_strings(cells: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """The strings that occur, as Python strings, and which of them each cell is."""
    if not types.is_dictionary(cells.type):
        cells = cells.dictionary_encode()
    inverse = numbers(cells.indices)
    strings = cells.dictionary
    occurs = np.bincount(inverse, minlength=len(strings)) > 0
    if not occurs.all():
        strings = strings.filter(pa.array(occurs))
        inverse = (np.cumsum(occurs) - 1)[inverse]
    return np.array(strings.to_pylist(), dtype=object), inverse
