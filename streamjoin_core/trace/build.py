"""Assembling a trace from Arrow batches: the one path that files, tables and arrays take."""

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
    if request.problem == "caching":
        sides = [[_with_caching_label(part, request.columns) for part in side] for side in sides]
    parts = [part for side in sides for part in side]
    layout = find_layout(parts, request)
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
                try:
                    draft.add(batch, Place(part.name, first))
                except (UnicodeDecodeError, IndexError, pa.ArrowException) as error:
                    end = first + batch.num_rows - 1
                    raise InputError(
                        f"{part.name}: rows {first} to {end} (counted from 0) hold text that is "
                        "not valid UTF-8 or other broken cells: write the file anew"
                    ) from error
                first += batch.num_rows
                done += batch.num_rows
                report("reading", done, rows)
    trace = draft.finish(origin, metadata)
    return trace if request.worth is None else with_importance(trace, request.worth)


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
        layout = self._layout
        batch, place = self._with_keys_only(batch, place)
        if batch.num_rows == 0:
            return
        column = batch.column
        new = {
            "time": cells.times(column(layout.time), layout.time_type, layout.time, place),
            "stream": self._streams.encode(column(layout.stream), layout.stream, place),
        }
        self._check_order(new["time"], place)
        keys = cells.encodable(column(layout.key), layout.key_kind, layout.key, place)
        new["key"] = self._keys.encode(keys)
        if layout.importance is not None:
            weights = cells.importances(column(layout.importance), layout.importance, place)
            new["importance"] = weights
        if layout.value is not None:
            new["value"] = cells.amounts(column(layout.value))
        for role, encoder in self._others.items():
            name, kind = getattr(layout, role), getattr(layout, f"{role}_kind")
            new[role] = encoder.encode(cells.encodable(column(name), kind, name, place))
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
        unit = self._layout.time_unit
        if self._rows:
            first, last = int(arrays["time"][0]), int(arrays["time"][-1])
            if last - first >= LONGEST:
                raise InputError(
                    f"{origin}: column {self._layout.time!r} runs from {format_time(first, unit)} "
                    f"to {format_time(last, unit)}, more than 2**62 units: use a coarser unit"
                )
        return Trace(
            **arrays,
            key_values=key_values,
            labels=labels,
            group_labels=tuple(others["group"].tolist()) if "group" in others else (),
            attribute_values=others.get("attribute"),
            time_unit=unit,
            origin=origin,
            metadata=metadata,
        )

    def _with_keys_only(self, batch: pa.RecordBatch, place: Place) -> tuple[pa.RecordBatch, Place]:
        """The rows that have a key: all, unless the caller lets the others go."""
        name = self._layout.key
        column = cells.plain(batch.column(name))
        if self._request.null_keys == "error":
            way_out = "drop such rows with --null-keys drop"
            cells.refuse_missing(column, name, place, way_out)
            return batch, place
        mask = cells.missing(column)
        if mask is None:
            return batch, place
        return batch.filter(pa.array(~mask)), place.keeping(np.flatnonzero(~mask))

    def _check_order(self, time: np.ndarray, place: Place) -> None:
        """Times that go back are sorted in the end or refused, as the caller wants."""
        before = np.empty_like(time)
        before[0] = time[0] if self._last_time is None else self._last_time
        before[1:] = time[:-1]
        self._last_time = time[-1]
        goes_back = time < before
        if not goes_back.any():
            return
        self._in_order = False
        if not self._request.sort:
            row, unit = int(goes_back.argmax()), self._layout.time_unit
            then, now = format_time(before[row], unit), format_time(time[row], unit)
            raise place.error(
                self._layout.time, row, f"goes back from {then} to {now}: sort by time with --sort"
            )
