"""Cells of text, and what to do with those that do not convert."""

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from streamjoin_core.trace.cells import CANNOT_CAST
from streamjoin_core.trace.source import Place

_SHOWN = 60  # characters

# How programs write that a number is missing.
_NO_NUMBER = pa.array(["", "null", "NULL", "nan", "NaN", "NA", "N/A"])


def texts(cells: pa.Array, name: str, place: Place) -> pa.Array:
    """Cells of bytes or strings, plain or in a dictionary, as strings."""
    cells = cells.dictionary_decode() if types.is_dictionary(cells.type) else cells
    return converted(
        cells,
        lambda some: some.cast(pa.string()),
        lambda index: place.error(
            name, index, "is not valid UTF-8: convert the file, for instance with iconv"
        ),
    )


def numerals(cells: pa.Array) -> pa.Array:
    """Texts without the blanks around them, and null where they say that there is no number."""
    cells = pc.utf8_trim_whitespace(cells)
    return pc.if_else(pc.is_in(cells, _NO_NUMBER), pa.scalar(None, pa.string()), cells)


def shown(cell: pa.Scalar) -> str:
    """A cell as a message quotes it."""
    text = str(cell.as_py())
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def converted(
    cells: pa.Array, convert: Callable[[pa.Array], pa.Array], refusal: Callable[[int], Exception]
) -> pa.Array:
    """The cells converted at once, or the refusal of the first one that does not convert."""
    try:
        return convert(cells)
    except CANNOT_CAST:
        raise refusal(_first_failing(cells, convert)) from None


def fit(cells: pa.Array, type_: pa.DataType) -> bool:
    try:
        cells.cast(type_)
    except CANNOT_CAST:
        return False
    return True


def _first_failing(cells: pa.Array, convert: Callable[[pa.Array], pa.Array]) -> int:
    low, high = 0, len(cells)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            convert(cells.slice(low, middle - low))
            low = middle
        except CANNOT_CAST:
            high = middle
    return low
