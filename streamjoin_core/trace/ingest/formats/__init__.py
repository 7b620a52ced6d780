"""The raw formats, one file each; a new file here is a new format."""

from functools import cache
from types import ModuleType

from streamjoin_core.errors import InputError
from streamjoin_core.named_files import file_of, names_in
from streamjoin_core.trace.ingest.raw import COMPRESSIONS, Dialect, Raw, refuse_unreadable


@cache
def formats() -> dict[str, ModuleType]:
    """The formats' modules by name."""
    found = [file_of(__name__, name) for name in names_in(__path__)]
    return {module.NAME: module for module in found}


def format_of(path: str, name: str | None = None) -> str:
    """The name of the file's format: the one given, else by suffix.

    >>> format_of("a.csv"), format_of("w89.oracleGeneral.zst"), format_of("a.log", "json")
    ('csv', 'oracle-general', 'json')
    """
    known = ", ".join(formats())
    if name is not None:
        if name not in formats():
            raise InputError(f"format {name!r} is unknown: choose one of {known}")
        return name
    bare = path.lower()
    for compression in COMPRESSIONS:
        bare = bare.removesuffix(compression)
    for name, module in formats().items():
        if bare.endswith(module.SUFFIXES):
            return name
    refuse_unreadable(path)
    raise InputError(f"{path}: its suffix does not tell the format: say it with --format ({known})")


def open_raw(path: str, format: str, dialect: Dialect) -> Raw:
    refuse_unreadable(path)
    return formats()[format].File(path, dialect)
