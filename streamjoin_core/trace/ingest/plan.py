"""From raw files to parts of a trace: which columns are read, and what each becomes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from streamjoin_core.errors import InputError
from streamjoin_core.progress import Progress
from streamjoin_core.trace.columns import Columns
from streamjoin_core.trace.ingest.columns import Column, NumberColumn, TextColumn, WideColumn
from streamjoin_core.trace.ingest.raw import Raw
from streamjoin_core.trace.ingest.times import UNITS, time_column
from streamjoin_core.trace.source import Part, Place


@dataclass(frozen=True)
class Times:
    """What the user says about how times are written."""

    format: str | None = None
    unit: str | None = None

    def __post_init__(self):
        if self.unit is not None and self.unit not in UNITS:
            raise InputError(f"time unit {self.unit!r} is unknown: choose {', '.join(UNITS)}")
        if self.format is not None and self.unit is not None:
            raise InputError("times are texts of a format or numbers of a unit: give one of both")


@dataclass
class Plan:
    """How to read raw files; columns of one name and type in two files become one type."""

    columns: Columns
    times: Times
    has_gone_back: bool = False  # whether times went back within a file
    _made: dict[tuple, Column] = field(default_factory=dict)

    @property
    def is_rounded(self) -> bool:
        """Whether times were rounded to nanoseconds."""
        return any(getattr(column, "is_rounded", False) for column in self._made.values())

    def parts(self, raws: list[Raw], names: list[str], progress: Progress) -> list[Part]:
        """The files as parts with these columns, once all cells that must be were seen."""
        columns = [self._columns(raw, names) for raw in raws]
        # All files before the first part, since what one holds may change a type for all.
        rows = [_look_through(raw, some, progress) for raw, some in zip(raws, columns, strict=True)]
        return [self._part(*file) for file in zip(raws, columns, rows, strict=True)]

    def _columns(self, raw: Raw, names: list[str]) -> list[Column]:
        schema = raw.schema(names)
        columns = []
        for name in names:
            type_ = schema.field(name).type
            index = (name, type_, raw.is_text)
            if index not in self._made:
                self._made[index] = self._column(raw, name, type_)
            columns.append(self._made[index])
        return columns

    def _column(self, raw: Raw, name: str, type_: pa.DataType) -> Column:
        is_text = raw.is_text and types.is_binary(type_)
        if name == self.columns.time:
            times = self.times
            return time_column(raw.name, name, type_, is_text, times.format, times.unit)
        if is_text:
            if name in (self.columns.importance, self.columns.value) and name != self.columns.key:
                return NumberColumn(name)
            return TextColumn(name, may_be_double=name != self.columns.stream)
        is_wide = types.is_uint64(type_) or (types.is_decimal(type_) and type_.scale == 0)
        if is_wide and name == self.columns.key:
            return WideColumn(name)
        return Column(name, type_)

    def _part(self, raw: Raw, columns: list[Column], rows: int) -> Part:
        by_name = {column.name: column for column in columns}
        schema = pa.schema([(column.name, column.type) for column in columns])

        def batches(names: list[str]) -> Iterator[pa.RecordBatch]:
            first, last = 0, None
            for batch in raw.batches(names):
                if first + batch.num_rows > rows:
                    raise InputError(f"{raw.name} grew while it was read: ingest a copy of it")
                place = Place(raw.name, first)
                with _refusing_broken_cells(place, batch):
                    cells = {name: by_name[name].convert(batch[name], place) for name in names}
                times = cells.get(self.columns.time)
                if batch.num_rows and times is not None:
                    self.has_gone_back |= _goes_back(times, last)
                    last = times[-1]
                yield pa.record_batch(cells)
                first += batch.num_rows

        return Part(raw.name, schema, rows, batches)


def _look_through(raw: Raw, columns: list[Column], progress: Progress) -> int:
    """Show the columns that must look all their cells; returns the number of rows."""
    looking = [column for column in columns if column.must_look]
    if raw.rows is not None and not looking:
        return raw.rows
    rows = 0
    for batch in raw.batches([column.name for column in looking or columns[:1]]):
        place = Place(raw.name, rows)
        with _refusing_broken_cells(place, batch):
            for column in looking:
                column.look(batch[column.name], place)
        rows += batch.num_rows
        progress("looking through", rows, 0)
    return rows


@contextmanager
def _refusing_broken_cells(place: Place, batch: pa.RecordBatch) -> Iterator[None]:
    """Refuse what only a damaged file holds, such as an index beyond its dictionary."""
    try:
        yield
    except (UnicodeDecodeError, pa.ArrowException) as error:
        last = place.first + batch.num_rows - 1
        raise InputError(
            f"{place.name}: rows {place.first} to {last} (counted from 0) hold broken cells: "
            "write the file anew"
        ) from error


def _goes_back(times: pa.Array, last: pa.Scalar | None) -> bool:
    within = pc.any(pc.less(times[1:], times[:-1])).as_py() is True
    return within or (last is not None and pc.less(times[0], last).as_py() is True)
