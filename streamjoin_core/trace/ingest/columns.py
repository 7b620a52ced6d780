"""Raw columns on their way to a trace's: what type each becomes, and its cells as that type."""

import pyarrow as pa
import pyarrow.compute as pc

from streamjoin_core.trace.ingest.text import converted, fit, numerals, shown, texts
from streamjoin_core.trace.source import Place

# Numbers as programs write them. Not a number: 007 and 12e4, which are rather ids, and whole
# numbers of so many digits that doubles would merge some.
_INTEGER = r"^(0|-?[1-9][0-9]{0,18})$"
_DOUBLE = (
    r"^-?((0|[1-9][0-9]{0,14})"
    r"|((0|[1-9][0-9]*)\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
    r"|[1-9][0-9]*[eE][+-][0-9]+)$"
)
_WIDE = r"^-?[0-9]{16,}$"


class Column:
    """A column that is taken as it is."""

    must_look = False  # whether the type shows only when all cells were seen

    def __init__(self, name: str, type_: pa.DataType):
        self.name = name
        self.type = type_

    def look(self, cells: pa.Array, place: Place) -> None:
        """See a batch of cells before any is converted."""

    def agree(self, other: "Column") -> None:
        """Take over what the same column has seen in a later file."""

    def convert(self, cells: pa.Array, place: Place) -> pa.Array:
        return cells


class TextColumn(Column):
    """Text of unknown type: integers, else doubles, else strings, whatever keeps keys apart."""

    must_look = True

    def __init__(self, name: str, may_be_double: bool = True):
        super().__init__(name, pa.int64())
        self._may_be_double = may_be_double
        self._has_wide = False

    def look(self, cells: pa.Array, place: Place) -> None:
        cells = texts(cells, self.name, place)
        if self.type == pa.string():
            return
        numbers = numerals(cells)
        if self.type == pa.int64():
            if _all_match(numbers, _INTEGER) and fit(numbers, pa.int64()):
                self._has_wide = self._has_wide or _any_matches(numbers, _WIDE)
                return
            self.type = pa.float64()
        is_double = self._may_be_double and not self._has_wide and _all_match(numbers, _DOUBLE)
        if not is_double:
            self.type = pa.string()

    def agree(self, other: "TextColumn") -> None:
        self._has_wide = self._has_wide or other._has_wide
        found = {self.type, other.type}
        if pa.string() in found or (pa.float64() in found and self._has_wide):
            self.type = pa.string()
        elif pa.float64() in found:
            self.type = pa.float64()

    def convert(self, cells: pa.Array, place: Place) -> pa.Array:
        cells = texts(cells, self.name, place)
        if self.type == pa.string():
            return pc.if_else(pc.equal(cells, ""), pa.scalar(None, pa.string()), cells)
        return _cast(numerals(cells), self, place, "which was not there before: try again")


class NumberColumn(Column):
    """Text that must be numbers."""

    def __init__(self, name: str):
        super().__init__(name, pa.float64())

    def convert(self, cells: pa.Array, place: Place) -> pa.Array:
        numbers = numerals(texts(cells, self.name, place))
        return _cast(numbers, self, place, "which is no number: mend it, or choose another")


class WideColumn(Column):
    """Whole numbers that may be beyond int64: then they become strings, which keep them apart."""

    must_look = True

    def __init__(self, name: str):
        super().__init__(name, pa.int64())

    def look(self, cells: pa.Array, place: Place) -> None:
        if not fit(cells, pa.int64()):
            self.type = pa.string()

    def agree(self, other: "WideColumn") -> None:
        if other.type == pa.string():
            self.type = other.type

    def convert(self, cells: pa.Array, place: Place) -> pa.Array:
        return cells.cast(self.type)


def _cast(cells: pa.Array, column: Column, place: Place, problem: str) -> pa.Array:
    return converted(
        cells,
        lambda some: some.cast(column.type),
        lambda index: place.error(column.name, index, f"holds {shown(cells[index])}, {problem}"),
    )


def _all_match(cells: pa.Array, pattern: str) -> bool:
    return pc.all(pc.match_substring_regex(cells, pattern)).as_py() is not False


def _any_matches(cells: pa.Array, pattern: str) -> bool:
    return pc.any(pc.match_substring_regex(cells, pattern)).as_py() is True
