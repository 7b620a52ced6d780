"""Importance functions: what tuples are worth, from a table of their keys or of any other column.

A table is a CSV file with the columns

    NAME, importance [, from_time]

NAME is `key`, `stream`, or a column of the trace: a tuple is worth what the table says for its
value there; the value * stands for all that are not listed. As bins, the values are numbers, and
each is worth from itself up to the next one. A line with a from_time redefines what its value is
worth from that time on, for tuples in memory, too; without one it holds from the start.
"""

import csv
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, isnan, nan

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.files import reason
from streamjoin_core.trace.trace import Redefinition, Trace
from streamjoin_core.trace.units import format_time

OWN_COLUMNS = ("key", "stream")
_OTHERS = "*"
_MOST_CELLS = 10**8
_START = np.iinfo(np.int64).min


@dataclass(frozen=True)
class Line:
    """One line of a table."""

    place: str  # for messages
    value: object  # as written, or of Python's own kind
    importance: float
    from_time: str | int | None


@dataclass(frozen=True)
class ImportanceTable:
    origin: str
    attribute: str  # key, stream, or a column of the trace
    lines: tuple[Line, ...]
    is_bins: bool
    holder: str | None = None  # what holds the attribute in a partition's rows, whatever its name

    @property
    def column(self) -> str | None:
        """The column to be read for it, if the trace does not have it anyway."""
        return None if self.attribute in OWN_COLUMNS else self.holder or self.attribute


def find_importance(
    table: str | os.PathLike | Mapping | None, bins: str | os.PathLike | Mapping | None
) -> ImportanceTable | None:
    """The importance function that was given: a file's path, or a mapping of keys."""
    if table is not None and bins is not None:
        raise InputError("importance is by a table or by bins: leave one of the two out")
    given = bins if table is None else table
    if given is None:
        return None
    is_bins = table is None
    if isinstance(given, Mapping):
        lines = tuple(
            Line(f"importance of {key!r}", key, _importance(worth, f"importance of {key!r}"), None)
            for key, worth in given.items()
        )
        return ImportanceTable("<memory>", "key", lines, is_bins)
    return _read(os.fspath(given), is_bins)


def _read(path: str, is_bins: bool) -> ImportanceTable:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = [[cell.strip() for cell in row] for row in csv.reader(file)]
    except OSError as error:
        raise InputError(f"cannot read {path}: {reason(error)}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} is no CSV file in UTF-8: {error}") from error
    header = rows[0] if rows else []
    names = [name for name in header if name not in ("importance", "from_time")]
    if len(names) != 1 or "importance" not in header or len(set(header)) < len(header):
        raise InputError(
            f"{path} has the columns {', '.join(header) or 'of nothing'}: give it importance, one "
            "that tells tuples apart, such as key, and from_time if importance changes"
        )
    lines = tuple(
        _line(dict(zip(header, row, strict=False)), names[0], len(row) == len(header), place)
        for number, row in enumerate(rows[1:], 2)
        if row
        for place in [f"{path}, line {number}"]
    )
    if not lines:
        raise InputError(f"{path} has no lines: give every value an importance, or * to all")
    return ImportanceTable(path, names[0], lines, is_bins)


def _line(cells: dict, name: str, is_whole: bool, place: str) -> Line:
    if not is_whole:
        raise InputError(f"{place} has not as many cells as the header: write them all")
    worth = _importance(cells["importance"], place)
    return Line(place, cells[name], worth, cells.get("from_time") or None)


def _importance(given, place: str) -> float:
    try:
        importance = float(given)
    except (TypeError, ValueError):
        importance = nan
    if not 0 <= importance < inf:
        raise InputError(f"{place}: importance is {given!r}: give a number of 0 or more")
    return importance


def with_importance(trace: Trace, table: ImportanceTable) -> Trace:
    """The trace with importances by the table instead of any that it has."""
    ids, values = _attribute(trace, table)
    starts, cells = _definitions(trace, table)
    if (len(starts) + 1) * (len(cells) if table.is_bins else len(values)) > _MOST_CELLS:
        raise InputError(f"{table.origin} redefines importance too often: name fewer times")
    if table.is_bins:
        kinds, worth = _by_bins(values, cells, len(starts) + 1)
    else:
        kinds, worth = _by_values(values, cells, len(starts) + 1)
    kind = kinds[ids].astype(np.int32)
    importance = worth[np.searchsorted(starts, trace.time, "right"), kind]
    if np.isnan(importance).any():
        row = int(np.isnan(importance).argmax())
        value = values[ids[row]]
        value = value.item() if isinstance(value, np.generic) else value
        place = "" if table.holder else f" (row {row})"  # a number in a partition says nothing
        raise InputError(
            f"{table.origin} gives {table.attribute} {value!r} no importance at time "
            f"{format_time(int(trace.time[row]), trace.time_unit)}{place}: add a line for it"
            + (", from -inf on" if table.is_bins else ", or one for *")
        )
    changes = Redefinition(starts, worth, kind).of_kinds_that_occur() if len(starts) else None
    return replace(
        trace, importance=importance, redefinition=changes, importance_origin=table.origin
    )


def _attribute(trace: Trace, table: ImportanceTable) -> tuple[np.ndarray, np.ndarray]:
    """Each row's value, as a place in the values that occur."""
    if table.attribute == "key":
        ids, values = trace.key, trace.key_values
    elif table.attribute == "stream":
        ids, values = trace.stream, np.array(trace.labels, None if trace.labels else object)
    elif trace.attribute is not None:
        ids, values = trace.attribute, trace.attribute_values
    else:
        raise InputError(
            f"{table.origin} goes by {table.attribute!r}, which this trace was read without: give "
            "the table to read_trace"
        )
    if table.is_bins and values.dtype.kind not in "if":
        raise InputError(f"bins need numbers, but {table.attribute!r} of {trace.origin} has none")
    return ids, values


def _definitions(trace: Trace, table: ImportanceTable) -> tuple[np.ndarray, dict]:
    """When importance is redefined, and per value what it is worth from which period on."""
    times = [_START if line.from_time is None else _time(line, trace) for line in table.lines]
    starts = np.array(sorted({*times} - {_START}), np.int64)
    cells: dict = {}
    for line, time in zip(table.lines, times, strict=True):
        value = _value(line, table, trace)
        period = 0 if time == _START else int(np.searchsorted(starts, time, "right"))
        if period in cells.setdefault(value, {}):
            raise InputError(f"{line.place} defines {line.value!r} again for the same time")
        cells[value][period] = line.importance
    return starts, cells


def _time(line: Line, trace: Trace) -> int:
    try:
        if trace.time_unit is None:
            return int(np.int64(int(line.from_time)))
        return _timestamp(str(line.from_time), trace.time_unit)
    except (ValueError, TypeError, OverflowError):
        kind = "an integer" if trace.time_unit is None else "a timestamp such as 2024-05-01T12:00"
        raise InputError(
            f"{line.place}: from_time is {line.from_time!r}: this trace's times need {kind}"
        ) from None


def _timestamp(text: str, unit: str) -> int:
    """In units of the trace; with an offset from UTC, such as Z or +02:00, in UTC."""
    if not text[:1].isdigit():
        raise ValueError("numpy also takes now, today and NaT")
    with warnings.catch_warnings():
        # That UTC is what becomes of an offset is what is wanted.
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        return int(np.datetime64(text, unit).astype(np.int64))


def _value(line: Line, table: ImportanceTable, trace: Trace):
    """The value of a line as the trace has it; numbers are compared as numbers."""
    _, values = _attribute(trace, table)
    if line.value == _OTHERS and not table.is_bins:
        return _OTHERS
    if values.dtype.kind not in "if":
        return str(line.value)
    try:
        has_fractions = table.is_bins or values.dtype.kind == "f"
        value = float(line.value) if has_fractions else _whole(line.value)
    except (ValueError, OverflowError):
        value = nan
    if isnan(value):
        raise InputError(
            f"{line.place}: {table.attribute} is {line.value!r}, but this trace has numbers there"
        )
    return value


def _whole(given) -> int | float:
    """A whole number as written, also as 3.0; a fraction, which no whole number is, as it is."""
    try:
        return int(given)
    except ValueError:
        return float(given)


def _filled(cells: dict[int, float], periods: int) -> np.ndarray:
    """What is in force in each period; not a number before the first definition."""
    worth = np.full(periods, np.nan)
    for period in sorted(cells):
        worth[period:] = cells[period]
    return worth


def _by_values(values: np.ndarray, cells: dict, periods: int) -> tuple[np.ndarray, np.ndarray]:
    """The kind of each value, and what each kind is worth [period, kind]."""
    others = _filled(cells.get(_OTHERS, {}), periods)
    worth = np.empty((periods, len(values)))
    for kind, value in enumerate(values.tolist()):
        own = _filled(cells.get(value, {}), periods)
        worth[:, kind] = np.where(np.isnan(own), others, own)
    return np.arange(len(values)), worth


def _by_bins(values: np.ndarray, cells: dict, periods: int) -> tuple[np.ndarray, np.ndarray]:
    """The same for bins: the first kind is below all of them, and worth nothing yet defined."""
    edges = sorted(cells)
    worth = np.full((periods, len(edges) + 1), np.nan)
    for kind, edge in enumerate(edges, 1):
        own = _filled(cells[edge], periods)
        worth[:, kind] = np.where(np.isnan(own), worth[:, kind - 1], own)
    return np.searchsorted(np.array(edges, float), values, "right"), worth
