"""Which columns of the parts are read, and what their Arrow types mean to a trace."""

from dataclasses import dataclass

import pyarrow as pa
from pyarrow import types

from streamjoin_core.errors import InputError
from streamjoin_core.trace.columns import OPTIONS, Columns
from streamjoin_core.trace.importance import ImportanceTable
from streamjoin_core.trace.source import Part

_FINEST_FIRST = ("ns", "us", "ms", "s")
_KEY_KINDS = ("integer", "double", "string")


@dataclass(frozen=True)
class Request:
    """How the caller wants the trace read."""

    columns: Columns
    sort: bool = False
    null_keys: str = "error"
    group_by: str | None = None
    worth: ImportanceTable | None = None  # what tuples are worth, instead of a column
    problem: str = "joining"

    def __post_init__(self):
        if self.null_keys not in ("error", "drop"):
            raise InputError(f"null keys {self.null_keys!r} is unknown: choose error or drop")
        if self.problem not in ("joining", "caching"):
            raise InputError(f"problem {self.problem!r} is unknown: choose joining or caching")


@dataclass(frozen=True)
class Layout:
    """Column name per role, None for a role that is not read; and the types they become."""

    time: str
    stream: str
    key: str
    importance: str | None
    value: str | None
    group: str | None
    attribute: str | None
    time_type: pa.DataType  # int64, or a timestamp or duration of the trace's unit
    key_kind: str
    group_kind: str | None
    attribute_kind: str | None

    @property
    def time_unit(self) -> str | None:
        return None if types.is_integer(self.time_type) else self.time_type.unit

    @property
    def names(self) -> list[str]:
        """The columns to read, each once."""
        roles = (self.time, self.stream, self.key, self.importance, self.value, self.group)
        roles += (self.attribute,)
        return list(dict.fromkeys(name for name in roles if name is not None))


def find_layout(parts: list[Part], request: Request) -> Layout:
    """Find each role's column in every part and bring the parts' types together."""
    names = {role: getattr(request.columns, role) for role in ("time", "stream", "key")}
    for role in ("importance", "value"):
        name = getattr(request.columns, role)
        is_default = name == getattr(Columns(), role)
        present = any(name in part.schema.names for part in parts)
        names[role] = name if present or not is_default else None
    names["group"] = request.group_by
    names["attribute"] = None if request.worth is None else request.worth.column
    kinds = {
        role: None if name is None else _common_kind(parts, role, name)
        for role, name in names.items()
        if role != "time"
    }
    return Layout(
        **names,
        time_type=_common_time_type(parts, names["time"]),
        key_kind=kinds["key"],
        group_kind=kinds["group"] if kinds["group"] in (*_KEY_KINDS, None) else "string",
        attribute_kind=kinds["attribute"],
    )


def _type_in(part: Part, role: str, name: str) -> pa.DataType:
    """The type of a column that must be there once; a dictionary counts as what it holds."""
    count = part.schema.names.count(name)
    if count != 1:
        there = ", ".join(repr(other) for other in part.schema.names) or "none"
        problem = "has no column" if count == 0 else f"has {count} columns named"
        raise InputError(
            f"{part.name} {problem} {name!r} for the {role}: choose one of its columns with "
            f"{OPTIONS[role]} (there are: {there})"
        )
    type_ = part.schema.field(name).type
    return type_.value_type if types.is_dictionary(type_) else type_


def _kind(type_: pa.DataType) -> str:
    """What cells of this type are: types of one kind may be mixed across files."""
    if types.is_integer(type_):
        return "integer"
    if types.is_floating(type_):
        return "double"
    if types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_):
        return "string"
    return str(type_)


def _common_kind(parts: list[Part], role: str, name: str) -> str:
    """The kind that a column has in all parts; a column of nulls goes with every kind."""
    kinds: dict[str, Part] = {}
    for part in parts:
        type_ = _type_in(part, role, name)
        if not types.is_null(type_):
            _check_role(part, role, name, type_)
            kinds.setdefault(_kind(type_), part)
    if len(kinds) > 1 and role in ("stream", "key", "group", "attribute"):
        (kind, part), (other_kind, other) = list(kinds.items())[:2]
        raise InputError(
            f"column {name!r} is of type {kind} in {part.name} and {other_kind} in {other.name}: "
            "write both with one type"
        )
    return next(iter(kinds), "integer")


def _check_role(part: Part, role: str, name: str, type_: pa.DataType) -> None:
    """Refuse a type that cannot play the role."""
    kind = _kind(type_)
    numeric = kind in ("integer", "double") or types.is_decimal(type_)
    is_fit, wanted = {
        "stream": (kind in ("integer", "string", "bool"), "strings, integers or booleans"),
        "key": (kind in _KEY_KINDS or _counts_time(type_), "integers, doubles or strings"),
        "importance": (numeric, "numbers"),
        "value": (numeric, "numbers"),
        "attribute": (kind in _KEY_KINDS, "integers, doubles or strings"),
        "group": (not types.is_nested(type_), "plain values"),
    }[role]
    if not is_fit:
        raise InputError(
            f"{part.name}: column {name!r} is of type {type_}, but the {role} takes {wanted}: "
            f"cast it, or choose another column with {OPTIONS[role]}"
        )


def _counts_time(type_: pa.DataType) -> bool:
    """Whether the type is an integer that counts days, seconds or parts of seconds."""
    return types.is_temporal(type_) and not types.is_interval(type_)


def _common_time_type(parts: list[Part], name: str) -> pa.DataType:
    """int64, or the timestamp or duration type whose unit is fine enough for all parts."""
    families: dict[str, Part] = {}
    units = set()
    for part in parts:
        type_ = _type_in(part, "time", name)
        if types.is_null(type_):
            continue
        family, unit = _time_family(part, name, type_)
        families.setdefault(family, part)
        units.add(unit)
    if len(families) > 1:
        (family, part), (other_family, other) = list(families.items())[:2]
        raise InputError(
            f"column {name!r} holds {family} in {part.name} and {other_family} in {other.name}: "
            "write both the same way"
        )
    family = next(iter(families), "integers")
    if family == "integers":
        return pa.int64()
    finest = next(unit for unit in _FINEST_FIRST if unit in units)
    return pa.duration(finest) if family == "durations" else pa.timestamp(finest)


def _time_family(part: Part, name: str, type_: pa.DataType) -> tuple[str, str | None]:
    if types.is_integer(type_):
        return "integers", None
    if types.is_timestamp(type_):
        zoned = "with a time zone" if type_.tz else "without a time zone"
        return f"timestamps {zoned}", type_.unit
    if types.is_date(type_):
        return "timestamps without a time zone", "s"
    if types.is_duration(type_):
        return "durations", type_.unit
    raise InputError(
        f"{part.name}: column {name!r} is of type {type_}, but the time takes integers or "
        "timestamps: convert the file with sjoin ingest, or choose another column with --time-col"
    )
