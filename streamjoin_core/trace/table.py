"""Traces from what is already in memory: Arrow tables and numpy arrays."""

import os
from collections.abc import Mapping

import pyarrow as pa

from streamjoin_core.errors import InputError
from streamjoin_core.progress import Progress
from streamjoin_core.trace import cells
from streamjoin_core.trace.build import assemble
from streamjoin_core.trace.columns import Columns
from streamjoin_core.trace.importance import find_importance
from streamjoin_core.trace.layout import Request
from streamjoin_core.trace.source import BATCH_ROWS, Part, Place, how_made
from streamjoin_core.trace.trace import Trace

_ORIGIN = "<memory>"


def trace_from_table(
    table: pa.Table,
    *,
    columns: Columns | None = None,
    sort: bool = False,
    null_keys: str = "error",
    group_by: str | None = None,
    importance: str | os.PathLike | Mapping | None = None,
    importance_bins: str | os.PathLike | Mapping | None = None,
    problem: str = "joining",
    progress: Progress | None = None,
) -> Trace:
    """A trace from an Arrow table, under the same rules as one from a file."""
    worth = find_importance(importance, importance_bins)
    request = Request(columns or Columns(), sort, null_keys, group_by, worth, problem)
    return _assemble(table, request, how_made(table.schema.metadata), progress)


def trace_from_arrays(
    time,
    key,
    stream=None,
    *,
    importance=None,
    value=None,
    group=None,
    metadata: dict | None = None,
    time_unit: str | None = None,
) -> Trace:
    """A trace from arrays or sequences of one length; without `stream` it is one for caching.

    Times are integers (of `time_unit`, if given) or datetime64.

    >>> trace = trace_from_arrays([1, 1, 2], ["b", "a", "b"], ["R", "S", "S"])
    >>> trace.key.tolist(), trace.key_values.tolist(), trace.labels
    ([1, 0, 1], ['a', 'b'], ('R', 'S'))
    """
    given = {"time": time, "stream": stream, "key": key, "importance": importance}
    given |= {"value": value, "group": group}
    arrays = {name: _array(name, data) for name, data in given.items() if data is not None}
    if time_unit is not None:
        arrays["time"] = _in_unit(arrays["time"], time_unit)
    for name, array in arrays.items():
        if len(array) != len(arrays["time"]):
            raise InputError(
                f"{name} has {len(array)} rows and time {len(arrays['time'])}: give one per arrival"
            )
    request = Request(
        Columns(),
        group_by=None if group is None else "group",
        problem="caching" if stream is None else "joining",
    )
    return _assemble(pa.table(arrays), request, metadata or {}, None)


def _assemble(table: pa.Table, request: Request, metadata: dict, progress) -> Trace:
    def batches(names: list[str]) -> list[pa.RecordBatch]:
        return table.select(names).to_batches(BATCH_ROWS)

    part = Part(_ORIGIN, table.schema, table.num_rows, batches)
    return assemble([[part]], request, origin=_ORIGIN, metadata=metadata, progress=progress)


def _array(name: str, data) -> pa.Array:
    if isinstance(data, pa.Array | pa.ChunkedArray):
        return data
    try:
        return pa.array(data)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise InputError(f"{name} is not a column of numbers, times or strings: {error}") from error


def _in_unit(time: pa.Array, unit: str) -> pa.Array:
    if unit not in ("s", "ms", "us", "ns"):
        raise InputError(f"time unit {unit!r} is unknown: choose s, ms, us or ns")
    if pa.types.is_integer(time.type):
        whole = cells.cast(time, pa.int64(), "time", Place(_ORIGIN, 0))
        return whole.cast(pa.timestamp(unit))
    if getattr(time.type, "unit", None) == unit:
        return time
    raise InputError(f"times of type {time.type} are not in {unit}: leave the time unit out")
