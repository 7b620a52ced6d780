"""Time columns: ISO texts, texts of a given format, and numbers of a given unit."""

import re
from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from streamjoin_core.errors import InputError
from streamjoin_core.trace.cells import plain
from streamjoin_core.trace.ingest.columns import Column
from streamjoin_core.trace.ingest.text import converted, fit, numerals, shown, texts
from streamjoin_core.trace.source import Place

UNITS = ("s", "ms", "us", "ns")

_ZONED = re.compile(r"[T ].*(Z|[+-]\d\d(:?\d\d)?)")
_INTEGER = re.compile(r"-?\d+")
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_CHOICE = ", ".join(UNITS)
# Times to the nanosecond need at most 28 digits; more let us tell what is too large from what is
# no number. The wide decimal holds what is finer than that, until it is rounded.
_DIGITS = 38
_ANY_DECIMAL = pa.decimal256(76, 38)


def time_column(
    raw_name: str,
    name: str,
    type_: pa.DataType,
    is_text: bool,
    time_format: str | None,
    time_unit: str | None,
) -> Column:
    """How a time column of this type is read under the options given."""
    held = type_.value_type if types.is_dictionary(type_) else type_
    is_text = is_text or _is_string(held)
    is_number = types.is_integer(held) or types.is_floating(held) or types.is_decimal(held)
    has_unit = types.is_timestamp(held) or types.is_date(held) or types.is_duration(held)
    if time_format and (is_text or types.is_integer(held)):
        return FormattedTime(name, time_format)
    if time_unit and types.is_integer(held):
        return CountedTime(name, time_unit)
    if time_unit and (is_text or is_number):
        return UnitTime(name, time_unit)
    if has_unit and (time_format or time_unit):
        option = "--time-format" if time_format else "--time-unit"
        problem = f"which tells times by itself: leave {option} out"
    elif is_text:
        return TextTime(name)
    elif has_unit or types.is_integer(held) or types.is_null(held):
        return PlainTime(name, held)
    elif is_number and not time_format:
        problem = f"and only you know the unit: say it with --time-unit ({_CHOICE})"
    else:
        problem = "which is no time: choose another column with --time-col"
    raise InputError(f"{raw_name}: column {name!r} is of type {held}, {problem}")


def _is_string(type_: pa.DataType) -> bool:
    return types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_)


class PlainTime(Column):
    """Integers, timestamps and durations, which a trace takes as they are."""

    def convert(self, cells: pa.Array, place: Place) -> pa.Array:
        return plain(cells)


class CountedTime(Column):
    """Integers that count a unit from 1970 on."""

    def __init__(self, name: str, unit: str):
        super().__init__(name, pa.timestamp(unit))

    def convert(self, cells: pa.Array, place: Place) -> pa.Array:
        cells = plain(cells)
        return converted(
            cells,
            lambda some: some.cast(pa.int64()).cast(self.type),
            lambda index: _too_large(self, cells[index], place, index),
        )


class FormattedTime(Column):
    """Texts that Python's `strptime` reads: slow, but it refuses the 31st of February."""

    def __init__(self, name: str, time_format: str):
        unit = "us" if "%f" in time_format else "s"
        super().__init__(name, pa.timestamp(unit, "UTC" if "%z" in time_format else None))
        self._format = time_format

    def convert(self, cells: pa.Array, place: Place) -> pa.Array:
        cells = numerals(texts(cells, self.name, place))
        return converted(
            cells,
            self._parsed,
            lambda index: place.error(
                self.name,
                index,
                f"is {shown(cells[index])}, which does not have the form {self._format!r}: "
                "choose another --time-format",
            ),
        )

    def _parsed(self, cells: pa.Array) -> pa.Array:
        distinct = cells.dictionary_encode()
        try:
            parsed = [
                datetime.strptime(text, self._format) for text in distinct.dictionary.tolist()
            ]
        except ValueError as error:
            raise pa.ArrowInvalid(str(error)) from error
        return pa.array(parsed, self.type).take(distinct.indices)


class TextTime(Column):
    """Texts that are all integers, or all ISO 8601 times: in the coarsest unit that fits all."""

    must_look = True

    def __init__(self, name: str):
        super().__init__(name, pa.int64())
        self._is_known = False

    def look(self, cells: pa.Array, place: Place) -> None:
        cells = numerals(texts(cells, self.name, place))
        if not self._is_known and cells.null_count < len(cells):
            self.type = _type_of(cells.drop_null()[0].as_py())
            self._is_known = True
        self.type = converted(
            cells,
            self._fitting_type,
            lambda index: place.error(self.name, index, self._problem(cells[index : index + 1])),
        )

    def agree(self, other: "TextTime") -> None:
        if not (self._is_known and other._is_known):
            self.type = other.type if other._is_known else self.type
            self._is_known = self._is_known or other._is_known
            return
        if types.is_timestamp(self.type) and types.is_timestamp(other.type):
            unit = _finer(self.type.unit, other.type.unit)
            if self.type.tz == other.type.tz:
                self.type = pa.timestamp(unit, self.type.tz)
                return
        if self.type != other.type:
            raise InputError(
                f"column {self.name!r} holds times of type {self.type} in one file and "
                f"{other.type} in another: write all times in one way"
            )

    def convert(self, cells: pa.Array, place: Place) -> pa.Array:
        cells = numerals(texts(cells, self.name, place))
        return converted(
            cells,
            lambda some: some.cast(self.type),
            lambda index: _too_large(self, cells[index], place, index),
        )

    def _fitting_type(self, cells: pa.Array) -> pa.DataType:
        """The present type, or one of a finer unit that the cells need."""
        candidates = [self.type]
        if types.is_timestamp(self.type):
            finer = UNITS[UNITS.index(self.type.unit) + 1 :]
            candidates += [pa.timestamp(unit, self.type.tz) for unit in finer]
        for type_ in candidates:
            if fit(cells, type_):
                return type_
        raise pa.ArrowInvalid("no unit fits all")

    def _problem(self, cell: pa.Array) -> str:
        text = cell[0].as_py()
        if _INTEGER.fullmatch(text) and types.is_integer(self.type):
            return f"is {text}, which does not fit int64: count from a later start"
        if _DECIMAL.fullmatch(text) and not _INTEGER.fullmatch(text):
            return f"is {text}, and only you know the unit: say it with --time-unit ({_CHOICE})"
        if types.is_integer(self.type):
            return f"is {shown(cell[0])} after whole numbers: write all times in one way"
        if any(fit(cell, pa.timestamp(unit, self.type.tz)) for unit in UNITS):
            return (
                f"is {shown(cell[0])}, and no unit fits it and the times before: round or mend them"
            )
        like = "2024-01-31T23:59:59" + ("Z" if self.type.tz else "")
        return (
            f"is {shown(cell[0])}, which is no time like {like}: mend it, or say its --time-format"
        )


def _type_of(text: str) -> pa.DataType:
    """The type that the first time of a column has; its unit may prove too coarse."""
    if _INTEGER.fullmatch(text):
        return pa.int64()
    return pa.timestamp(UNITS[0], "UTC" if _ZONED.search(text) else None)


class UnitTime(Column):
    """Numbers of a unit, as timestamps: in a finer unit if some have decimals.

    Doubles count as the shortest decimals that stand for them. What is finer than a nanosecond is
    rounded, which keeps the order of times.
    """

    must_look = True

    def __init__(self, name: str, unit: str):
        super().__init__(name, pa.timestamp(unit))
        self._given = UNITS.index(unit)
        self.is_rounded = False

    def look(self, cells: pa.Array, place: Place) -> None:
        numbers = self._to_the_nanosecond(cells, place)
        while not fit(numbers, self._decimal(self.type.unit)):
            finer = UNITS[UNITS.index(self.type.unit) + 1]
            self.type = pa.timestamp(finer)

    def agree(self, other: "UnitTime") -> None:
        self.type = pa.timestamp(_finer(self.type.unit, other.type.unit))
        self.is_rounded = self.is_rounded or other.is_rounded

    def convert(self, cells: pa.Array, place: Place) -> pa.Array:
        numbers = self._to_the_nanosecond(cells, place)
        counts = numbers.cast(self._decimal(self.type.unit))
        # The same digits without the point: the number times the power of ten that we want.
        return converted(
            counts.view(pa.decimal128(_DIGITS, 0)),
            lambda some: some.cast(pa.int64()).cast(self.type),
            lambda index: _too_large(self, counts[index], place, index),
        )

    def _to_the_nanosecond(self, cells: pa.Array, place: Place) -> pa.Array:
        cells = numerals(texts(cells, self.name, place))
        exact = self._decimal(UNITS[-1])
        if fit(cells, exact):
            return cells.cast(exact)
        numbers = converted(
            cells,
            lambda some: pc.round(some.cast(_ANY_DECIMAL), exact.scale).cast(exact),
            lambda index: place.error(
                self.name,
                index,
                f"is {shown(cells[index])}, which is no number of {UNITS[self._given]}: mend "
                "it, or leave --time-unit out",
            ),
        )
        self.is_rounded = True
        return numbers

    def _decimal(self, unit: str) -> pa.DataType:
        """Numbers of the unit given, with as many decimals as tell this finer unit."""
        return pa.decimal128(_DIGITS, 3 * (UNITS.index(unit) - self._given))


def _finer(unit: str, other: str) -> str:
    return max(unit, other, key=UNITS.index)


def _too_large(column: Column, cell: pa.Scalar, place: Place, index: int) -> InputError:
    unit = column.type.unit if types.is_timestamp(column.type) else "int64"
    return place.error(
        column.name,
        index,
        f"is {cell}, beyond what {unit} since 1970 can count: "
        "mend it, round the times, or give the right --time-unit",
    )
