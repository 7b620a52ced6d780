"""Assembling a trace from Arrow batches: the one path that files, tables and arrays take."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pyarrow as pa

from streamjoin_core.errors import InputError
from streamjoin_core.progress import Progress, silent
from streamjoin_core.trace import cells
from streamjoin_core.trace.columns import Columns
from streamjoin_core.trace.importance import with_importance
from streamjoin_core.trace.keys import new_encoder
from streamjoin_core.trace.layout import Layout, Request, find_layout
from streamjoin_core.trace.merge import put_in_time_order
from streamjoin_core.trace.source import Part, Place, with_label
from streamjoin_core.trace.streams import StreamEncoder
from streamjoin_core.trace.trace import Trace
from streamjoin_core.trace.units import LONGEST, format_time

_MOST_ROWS = 2**31 - 1
_CACHING_LABEL = "R"


def assemble(
    sides: list[list[Part]],
    request: Request,
    *,
    origin: str,
    metadata: dict,
    progress: Progress | None = None,
) -> Trace:
    """Read the parts into one trace: each side is in time order by itself, two are merged by it."""
    sides, layout = lay_out(sides, request)
    parts = [part for side in sides for part in side]
    rows = sum(part.rows for part in parts)
    if rows > _MOST_ROWS:
        raise InputError(f"{origin} has {rows} rows, but a trace has at most {_MOST_ROWS}: cut it")
    draft = _Draft(layout, request, rows)
    report, done = progress or silent, 0
    for side in sides:
        draft.start_side()
        for part in side:
            first = 0
            for batch in part.batches(layout.names):
                with refusing_broken_cells(part.name, first, batch.num_rows):
                    draft.add(batch, Place(part.name, first))
                first += batch.num_rows
                done += batch.num_rows
                report("reading", done, rows)
    trace = draft.finish(origin, metadata)
    return trace if request.worth is None else with_importance(trace, request.worth)


def lay_out(sides: list[list[Part]], request: Request) -> tuple[list[list[Part]], Layout]:
    """The parts with a stream column each, and what is read from all of them."""
    if request.problem == "caching":
        sides = [[_with_caching_label(part, request.columns) for part in side] for side in sides]
    return sides, find_layout([part for side in sides for part in side], request)


@contextmanager
def refusing_broken_cells(name: str, first: int, rows: int) -> Iterator[None]:
    """For work on so many rows of a part: what Arrow cannot make sense of is the part's fault."""
    try:
        yield
    except (UnicodeDecodeError, IndexError, pa.ArrowException) as error:
        raise InputError(
            f"{name}: rows {first} to {first + rows - 1} (counted from 0) hold text that is not "
            "valid UTF-8 or other broken cells: write the file anew"
        ) from error


def _with_caching_label(part: Part, columns: Columns) -> Part:
    """Caching has one stream, so it needs no column to tell which."""
    is_missing = columns.stream not in part.schema.names
    if is_missing and columns.stream == Columns().stream:
        return with_label(part, columns, _CACHING_LABEL)
    return part


class _Draft:
    """The trace's arrays while they fill up; made for all rows at once, since growing copies."""

    def __init__(self, layout: Layout, request: Request, rows: int):
        self._layout = layout
        self._request = request
        self._rows = 0
        self._last_time: int | None = None  # of the present side
        self._in_order = True
        dtypes = {"time": np.int64, "stream": np.uint8, "key": np.int32}
        dtypes |= {"importance": np.float64, "value": np.float64}
        dtypes |= {"group": np.int32, "attribute": np.int32}
        self._arrays = {
            role: np.empty(rows, dtype)
            for role, dtype in dtypes.items()
            if getattr(layout, role) is not None
        }
        self._streams = StreamEncoder(request.problem)
        self._keys = new_encoder(layout.key_kind, rows)
        kinds = {"group": layout.group_kind, "attribute": layout.attribute_kind}
        self._others = {
            role: new_encoder(kind, rows)
            for role, kind in kinds.items()
            if getattr(layout, role) is not None
        }

    def start_side(self) -> None:
        self._in_order = self._rows == 0
        self._last_time = None

    def add(self, batch: pa.RecordBatch, place: Place) -> None:
        """Check a batch and append its rows."""
        batch, place = with_keys_only(batch, self._layout, self._request, place)
        if batch.num_rows == 0:
            return
        layout = self._layout
        new = {
            "time": cells.times(batch.column(layout.time), layout.time_type, layout.time, place),
            "stream": self._streams.encode(batch.column(layout.stream), layout.stream, place),
        }
        self._check_order(new["time"], place)
        new |= other_cells(batch, layout, place)
        new["key"] = self._keys.encode(new["key"])
        for role, encoder in self._others.items():
            new[role] = encoder.encode(new[role])
        end = self._rows + batch.num_rows
        for role, array in new.items():
            self._arrays[role][self._rows : end] = array
        self._rows = end

    def finish(self, origin: str, metadata: dict) -> Trace:
        """The trace of the rows added, in time order."""
        arrays = {role: array[: self._rows] for role, array in self._arrays.items()}
        labels = self._streams.finish(arrays["stream"])
        key_values = self._keys.finish(arrays["key"])
        others = {role: one.finish(arrays[role]) for role, one in self._others.items()}
        self._arrays.clear()
        if not self._in_order:
            put_in_time_order(arrays)
        if self._rows:
            refuse_long_span(int(arrays["time"][0]), int(arrays["time"][-1]), self._layout, origin)
        return Trace(
            **arrays,
            key_values=key_values,
            labels=labels,
            group_labels=tuple(others["group"].tolist()) if "group" in others else (),
            attribute_values=others.get("attribute"),
            time_unit=self._layout.time_unit,
            origin=origin,
            metadata=metadata,
        )

    def _check_order(self, time: np.ndarray, place: Place) -> None:
        """Times that go back are sorted in the end or refused, as the caller wants."""
        row = first_step_back(time, self._last_time)
        if row is not None:
            self._in_order = False
            if not self._request.sort:
                then = self._last_time if row == 0 else time[row - 1]
                raise goes_back(place, row, then, time[row], self._layout)
        self._last_time = time[-1]


def with_keys_only(
    batch: pa.RecordBatch, layout: Layout, request: Request, place: Place
) -> tuple[pa.RecordBatch, Place]:
    """The rows that have a key: all, unless the caller lets the others go."""
    column = cells.plain(batch.column(layout.key))
    if request.null_keys == "error":
        way_out = "drop such rows with --null-keys drop"
        cells.refuse_missing(column, layout.key, place, way_out)
        return batch, place
    mask = cells.missing(column)
    if mask is None:
        return batch, place
    return batch.filter(pa.array(~mask)), place.keeping(np.flatnonzero(~mask))


def other_cells(batch: pa.RecordBatch, layout: Layout, place: Place) -> dict:
    """The columns but for time and stream by role, checked: keys and groups as encoders take."""
    column = batch.column
    keys = cells.encodable(column(layout.key), layout.key_kind, layout.key, place)
    found = {"key": keys}
    if layout.importance is not None:
        weights = cells.importances(column(layout.importance), layout.importance, place)
        found["importance"] = weights
    if layout.value is not None:
        found["value"] = cells.amounts(column(layout.value))
    for role in ("group", "attribute"):
        name, kind = getattr(layout, role), getattr(layout, f"{role}_kind")
        if name is not None:
            found[role] = cells.encodable(column(name), kind, name, place)
    return found


def first_step_back(time: np.ndarray, last: int | None) -> int | None:
    """The first of these times that is before the one that precedes it, `last` the first one."""
    if last is not None and time[0] < last:
        return 0
    steps_back = time[1:] < time[:-1]
    return int(steps_back.argmax()) + 1 if steps_back.any() else None


def goes_back(place: Place, index: int, then: int, now: int, layout: Layout) -> InputError:
    """The error of a time that is before the one that precedes it."""
    told = [format_time(time, layout.time_unit) for time in (then, now)]
    problem = f"goes back from {told[0]} to {told[1]}: sort by time with --sort"
    return place.error(layout.time, index, problem)


def refuse_long_span(first: int, last: int, layout: Layout, origin: str) -> None:
    """Refuse times so far apart that differences of them might not fit in 64 bits."""
    if last - first >= LONGEST:
        unit = layout.time_unit
        raise InputError(
            f"{origin}: column {layout.time!r} runs from {format_time(first, unit)} to "
            f"{format_time(last, unit)}, more than 2**62 units: use a coarser unit"
        )
