"""From raw files to parts of a trace: which columns are read, and what each becomes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from streamjoin_core.errors import InputError
from streamjoin_core.progress import Progress, silent
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
    has_gone_back: bool = False  # whether times went back within a side
    _made: dict[tuple, Column] = field(default_factory=dict)
    _last: dict[int, pa.Scalar] = field(default_factory=dict)  # time that was read, by side

    @property
    def is_rounded(self) -> bool:
        """Whether times were rounded to nanoseconds."""
        return any(getattr(column, "is_rounded", False) for column in self._made.values())

    def parts(
        self, raws: list[Raw], names: list[str], sides: list[int], progress: Progress
    ) -> list[Part]:
        """The files as parts with these columns, once all cells that must be were seen."""
        # All files before the first part, since what one holds may change a type for all.
        columns = [self._columns(raw, raw.schema(names)) for raw in raws]
        rows = [_look_through(raw, some, progress) for raw, some in zip(raws, columns, strict=True)]
        files = zip(raws, columns, rows, sides, [None, *sides], strict=False)
        return [
            self._part(raw, some, rows_in, side, follows=side == before)
            for raw, some, rows_in, side, before in files
        ]

    def look_through(self, raw: Raw, names: list[str]) -> tuple[pa.Schema, int]:
        """See a file's cells that must be seen; returns what it holds and its number of rows."""
        schema = raw.schema(names)
        return schema, _look_through(raw, self._columns(raw, schema), silent)

    def schema(self, raw: Raw, schema: pa.Schema) -> pa.Schema:
        """What becomes of the columns of a file that was seen."""
        return pa.schema([(one.name, one.type) for one in self._columns(raw, schema)])

    def part(self, raw: Raw, schema: pa.Schema, rows: int) -> Part:
        """A file that was seen as a part."""
        return self._part(raw, self._columns(raw, schema), rows)

    def agree(self, other: "Plan") -> None:
        """Take over what another plan has seen in later files."""
        for index, column in other._made.items():
            if index in self._made:
                self._made[index].agree(column)
            else:
                self._made[index] = column

    def _columns(self, raw: Raw, schema: pa.Schema) -> list[Column]:
        columns = []
        for name, type_ in zip(schema.names, schema.types, strict=True):
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

    def _part(
        self, raw: Raw, columns: list[Column], rows: int, side: int = 0, follows: bool = False
    ) -> Part:
        """A file as a part; it may follow the one of the same side that was read before."""
        by_name = {column.name: column for column in columns}
        schema = pa.schema([(column.name, column.type) for column in columns])

        def batches(names: list[str]) -> Iterator[pa.RecordBatch]:
            first, last = 0, self._last.get(side) if follows else None
            for batch in raw.batches(names):
                if first + batch.num_rows > rows:
                    raise InputError(f"{raw.name} grew while it was read: ingest a copy of it")
                place = Place(raw.name, first)
                with _refusing_broken_cells(place, batch):
                    cells = {name: by_name[name].convert(batch[name], place) for name in names}
                times = cells.get(self.columns.time)
                if batch.num_rows and times is not None:
                    self.has_gone_back |= _goes_back(times, last)
                    self._last[side] = last = times[-1]
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
