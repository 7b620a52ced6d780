"""Things that are one file each in a folder, found by the file's name.

Files are named like what they hold, with underscores for hyphens, so that all names are known
without importing anything; a file whose name starts with an underscore only helps the others.
"""

import pkgutil
from collections.abc import Iterable
from importlib import import_module, util
from pathlib import Path
from types import ModuleType

from streamjoin_core.errors import InputError


def names_in(folder: Iterable[str], besides: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The names in a package's path, sorted, without those files that are something else."""
    files = [file.name for file in pkgutil.iter_modules(folder)]
    held = [name for name in files if not name.startswith("_") and name not in besides]
    return tuple(sorted(name.replace("_", "-") for name in held))


def load_file(path: str) -> ModuleType:
    """The module in a file anywhere."""
    if not Path(path).is_file():
        raise InputError(f"cannot read {path}: there is no such file")
    spec = util.spec_from_file_location(Path(path).stem, path)
    module = util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        what = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise InputError(f"cannot load {path}: {what}") from error
    return module


def file_of(package: str, name: str) -> ModuleType:
    """The module that holds what has this name."""
    return import_module(f"{package}.{name.replace('-', '_')}")
