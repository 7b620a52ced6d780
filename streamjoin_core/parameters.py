"""Named parameters of policies and scenarios: a dataclass field each, with meaning and bounds."""

import operator
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from math import isfinite
from types import MappingProxyType

from streamjoin_core.errors import InputError

_NOTHING = MappingProxyType({})


def parameter(default, help: str, *, least=None, above=None, choices: tuple = ()):
    """A field of a parameter dataclass: its default, its meaning and the values it may take."""
    metadata = {"help": help, "least": least, "above": above, "choices": choices}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Parameters:
    """Base of the parameter dataclasses: each value, text or number, is checked against its field.

    A field is an int, a float or a str; one whose default is None may be left out.
    """

    def __post_init__(self):
        for entry in fields(self):
            value = getattr(self, entry.name)
            if value is not None or entry.default is not None:
                object.__setattr__(self, entry.name, _checked(entry, value))

    def as_dict(self) -> dict:
        return asdict(self)

    def changed(self) -> dict:
        """The parameters that differ from their defaults."""
        return {
            entry.name: getattr(self, entry.name)
            for entry in fields(self)
            if getattr(self, entry.name) != entry.default
        }


def make_parameters(kind: type[Parameters], given: Mapping[str, object], owner: str) -> Parameters:
    """Parameters of which some are given by name, as values or as text; `owner` is for messages."""
    names = [entry.name for entry in fields(kind)]
    for name in given:
        if name not in names:
            has = f"it has {', '.join(names)}" if names else "it has none"
            raise InputError(f"{owner} has no parameter {name!r}: {has}")
    return kind(**given)


def parse_named(
    what: str, text: str, find: Callable, shared: Mapping[str, object] = _NOTHING
) -> tuple:
    """What is found under a name, and its parameters: `name` or `name:key=value,key=value`.

    `shared` has values for whatever has such a parameter and does not say otherwise.
    """
    name, _, rest = text.strip().partition(":")
    found = find(name.strip())
    own = {entry.name for entry in fields(found.parameters)}
    given = {name: value for name, value in shared.items() if name in own}
    for item in filter(None, (part.strip() for part in rest.split(","))):
        key, equals, value = item.partition("=")
        if not equals:
            raise InputError(f"{item!r} in {what} {text!r} is no parameter: write key=value")
        given[key.strip()] = value.strip()
    return found, make_parameters(found.parameters, given, f"{what} {found.name!r}")


def label(name: str, params: Parameters) -> str:
    """The name with the parameters that are not the default, so that no two runs share one."""
    given = ",".join(f"{key}={value}" for key, value in params.changed().items())
    return f"{name}:{given}" if given else name


def describe(kind: type[Parameters]) -> list[tuple[str, object, str]]:
    """Name, default and meaning of each parameter."""
    return [(entry.name, entry.default, entry.metadata["help"]) for entry in fields(kind)]


def _checked(entry, value):
    try:
        number = _convert(_base(entry), value)
    except (TypeError, ValueError):
        number = None
    least, above = entry.metadata["least"], entry.metadata["above"]
    choices = entry.metadata["choices"]
    if (
        number is None
        or (choices and number not in choices)
        or (least is not None and number < least)
        or (above is not None and number <= above)
    ):
        raise InputError(f"parameter {entry.name} is {value!r}: give {_wanted(entry)}")
    return number


def _base(entry) -> type:
    """The type of a field's values: `int | None` is int."""
    options = [kind for kind in getattr(entry.type, "__args__", ()) if kind is not type(None)]
    return options[0] if options else entry.type


def _convert(kind: type, value):
    if kind is int:
        return int(value) if isinstance(value, str) else operator.index(value)
    if kind is float:
        number = float(value)
        return number if isfinite(number) else None
    return str(value)


def _wanted(entry) -> str:
    if entry.metadata["choices"]:
        return " or ".join(str(choice) for choice in entry.metadata["choices"])
    text = {int: "a whole number", float: "a number", str: "a text"}[_base(entry)]
    if entry.metadata["least"] is not None:
        return f"{text} of at least {entry.metadata['least']}"
    if entry.metadata["above"] is not None:
        return f"{text} above {entry.metadata['above']}"
    return text
