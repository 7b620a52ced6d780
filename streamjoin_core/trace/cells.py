"""Arrow columns of one batch as checked numpy arrays."""

import numpy as np
import pyarrow as pa
from pyarrow import types

from streamjoin_core.trace.source import Place

_DTYPES = {"halffloat": "float16", "float": "float32", "double": "float64"}
_TEXT = pa.large_string()
CANNOT_CAST = (pa.ArrowInvalid, pa.ArrowNotImplementedError)


def plain(column: pa.Array) -> pa.Array:
    """The column with nulls in its own bitmap only, and as a dictionary only of strings."""
    if not types.is_dictionary(column.type):
        return column
    of_strings = types.is_string(column.type.value_type) or types.is_large_string(
        column.type.value_type
    )
    return column if of_strings and not column.dictionary.null_count else column.dictionary_decode()


def missing(column: pa.Array) -> np.ndarray | None:
    """Which cells are null or NaN; None when all are there."""
    if column.null_count:
        mask = column.is_null(nan_is_null=True).to_numpy(zero_copy_only=False)
    elif types.is_floating(column.type):
        mask = np.isnan(numbers(column))
    else:
        return None
    return mask if mask.any() else None


def refuse_missing(column: pa.Array, name: str, place: Place, way_out: str) -> None:
    mask = missing(column)
    if mask is not None:
        index = int(mask.argmax())
        what = "NaN" if column[index].is_valid else "null"
        raise place.error(name, index, f"is {what}: {way_out}")


def times(column: pa.Array, type_: pa.DataType, name: str, place: Place) -> np.ndarray:
    """Times as int64 in the unit of `type_`."""
    column = plain(column)
    refuse_missing(column, name, place, "every arrival needs a time")
    if types.is_timestamp(column.type) and column.type.tz:
        type_ = pa.timestamp(type_.unit, column.type.tz)
    return numbers(cast(column, type_, name, place).view(pa.int64()))


def encodable(column: pa.Array, kind: str, name: str, place: Place) -> np.ndarray | pa.Array:
    """Keys or groups as an encoder takes them: int64 or float64 numbers, or Arrow strings."""
    column = plain(column)
    refuse_missing(column, name, place, "every arrival needs one")
    if kind == "string":
        return column if types.is_dictionary(column.type) else cast(column, _TEXT, name, place)
    if kind == "double":
        # Adding 0 turns -0.0, which is equal to 0.0 but not the same bits, into 0.0.
        return numbers(_as_double(column)) + 0.0
    if types.is_temporal(column.type):
        column = column.view(pa.int32() if column.type.bit_width == 32 else pa.int64())
    return numbers(cast(column, pa.int64(), name, place))


def importances(column: pa.Array, name: str, place: Place) -> np.ndarray:
    """Importances as finite float64, 0 or more."""
    column = plain(column)
    refuse_missing(column, name, place, "every arrival needs an importance if one has it")
    weights = numbers(_as_double(column))
    if len(weights) and not (weights.min() >= 0 and weights.max() < np.inf):
        index = int(np.argmax(~((weights >= 0) & (weights < np.inf))))
        raise place.error(name, index, f"is {weights[index]}: importance is finite and 0 or more")
    return weights


def amounts(column: pa.Array) -> np.ndarray:
    """Values to aggregate as float64, NaN for null."""
    return _as_double(plain(column)).to_numpy(zero_copy_only=False)


def numbers(column: pa.Array) -> np.ndarray:
    """Numbers without nulls as they lie in memory; Arrow's own way would import pandas."""
    dtype = _DTYPES.get(str(column.type), str(column.type))
    if not len(column):
        return np.empty(0, dtype)
    array = np.frombuffer(column.buffers()[1], dtype)
    return array[column.offset : column.offset + len(column)]


def _as_double(column: pa.Array) -> pa.Array:
    # Unsafe only in that large integers are rounded to the nearest double.
    return column if types.is_float64(column.type) else column.cast(pa.float64(), safe=False)


def cast(column: pa.Array, type_: pa.DataType, name: str, place: Place) -> pa.Array:
    """The column as another type, or the error of its first cell that does not fit."""
    if column.type == type_:
        return column
    try:
        return column.cast(type_)
    except CANNOT_CAST:
        index = _first_uncastable(column, type_)
        raise place.error(
            name, index, f"is {column[index]}, which does not fit {type_}: choose or cast another"
        ) from None


def _first_uncastable(column: pa.Array, type_: pa.DataType) -> int:
    low, high = 0, len(column)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            column.slice(low, middle - low).cast(type_)
            low = middle
        except CANNOT_CAST:
            high = middle
    return low
