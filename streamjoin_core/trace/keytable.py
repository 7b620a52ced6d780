"""A hash table from 64-bit numbers to dense ids, for columns of many rows."""

import numpy as np

from streamjoin_core.engine.compiled import compiled
from streamjoin_core.trace.keys import renumber
from streamjoin_core.trace.mixing import mix

_FREE = -1
_FIRST_SLOTS = 1 << 14


class TableEncoder:
    """Ids of int64 or float64 cells by open addressing; float64 cells go by their bits."""

    def __init__(self, dtype: type):
        self._dtype = dtype
        self._used = 0
        self._values = np.empty(0, np.int64)
        self._grow(_FIRST_SLOTS)

    def encode(self, cells: np.ndarray) -> np.ndarray:
        keys = cells.view(np.int64)
        hashes = _hashes(keys)
        ids = np.empty(len(keys), np.int32)
        row = 0
        while True:
            starts = hashes & (len(self._slots) - 1)
            row, self._used = _give_ids(
                keys, starts, ids, row, self._slots, self._values, self._used
            )
            if row == len(keys):
                return ids
            self._grow(2 * len(self._slots))

    def finish(self, ids: np.ndarray) -> np.ndarray:
        values = self._values[: self._used].view(self._dtype)
        self._slots = None
        return renumber(ids, values)

    def _grow(self, slots: int) -> None:
        """Make room for more values: as many as keep five slots in eight busy."""
        values = np.empty(slots * 5 // 8, np.int64)
        values[: self._used] = self._values[: self._used]
        self._values = values
        self._slots = np.full(slots, _FREE, np.int32)
        known = values[: self._used]
        starts = _hashes(known) & (slots - 1)
        _give_ids(known, starts, np.empty(len(known), np.int32), 0, self._slots, values, 0)


def _hashes(keys: np.ndarray) -> np.ndarray:
    """Well-mixed non-negative hashes, as int64."""
    return (mix(keys.view(np.uint64)) >> np.uint64(1)).view(np.int64)


@compiled
def _give_ids(keys, starts, ids, row, slots, values, used):
    """Fill `ids` from `row` on; returns the row where the values were full, and their number."""
    last = len(slots) - 1
    while row < len(keys):
        key = keys[row]
        slot = starts[row]
        while slots[slot] >= 0 and values[slots[slot]] != key:
            slot = (slot + 1) & last
        if slots[slot] < 0:
            if used == len(values):
                return row, used
            slots[slot] = used
            values[used] = key
            used += 1
        ids[row] = slots[slot]
        row += 1
    return row, used
