"""The trace: recorded arrivals as columns, the one structure engine, models and reports see."""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class Redefinition:
    """Importance that changes during the run: what each kind of tuple is worth in each period."""

    starts: np.ndarray  # int64: when the second and all later periods start, ascending
    table: np.ndarray  # float64 [period, kind]
    kind: np.ndarray  # int32 per row

    def of_kinds_that_occur(self) -> "Redefinition":
        """The same, however the rows came to be the ones that there are."""
        occurs = np.bincount(self.kind, minlength=self.table.shape[1]) > 0
        number = np.cumsum(occurs, dtype=np.int32) - 1
        return Redefinition(self.starts, self.table[:, occurs], number[self.kind])


@dataclass(frozen=True, eq=False)
class Trace:
    """Arrivals in order; row number = position in every array.

    Key ids are dense and ordered like the original values (id 0 is the smallest), so that every
    join condition is a range of ids. `importance` and `value` are None when the trace has none.
    """

    time: np.ndarray  # int64, non-decreasing; rows of equal time form one step
    stream: np.ndarray  # uint8: 0 left, 1 right
    key: np.ndarray  # int32 ids into key_values
    key_values: np.ndarray  # distinct keys, ascending: int64, float64 or object (str)
    labels: tuple  # stream labels that occur, ascending: (), (left,) or (left, right)
    importance: np.ndarray | None = None  # float64 >= 0, on arrival
    redefinition: Redefinition | None = None  # None where importance stays what it is on arrival
    value: np.ndarray | None = None  # float64
    group: np.ndarray | None = None  # int32 ids into group_labels
    group_labels: tuple = ()
    attribute: np.ndarray | None = None  # int32 ids into attribute_values, if importance needs it
    attribute_values: np.ndarray | None = None  # distinct, ascending
    importance_origin: str | None = None  # the table that importance is from, if not a column
    time_unit: str | None = None  # None for integer times, else "s", "ms", "us" or "ns"
    origin: str = "<memory>"  # path as the user gave it
    # How the trace was made: scenario, parameters, seed, model.
    metadata: dict = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.time)

    @property
    def numeric_keys(self) -> bool:
        """Whether keys are numbers, as bands and trends need."""
        return self.key_values.dtype != object

    def account(self) -> dict:
        """Which trace it is, as reports tell."""
        return {"path": self.origin, "rows": len(self), "fingerprint": self.fingerprint}

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the content: equal for equal arrivals, however they were stored."""
        digest = hashlib.sha256()
        keys = self.key_values
        if self.numeric_keys:
            digest.update(f"{keys.dtype}".encode() + keys.tobytes())
        else:
            digest.update("\0".join(keys.tolist()).encode())
        digest.update(repr((self.labels, self.time_unit)).encode())
        for column in (self.time, self.stream, self.key, self.importance, self.value):
            if column is not None:
                digest.update(np.ascontiguousarray(column).data)
        if self.redefinition is not None:
            for array in vars(self.redefinition).values():
                digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()[:16]
