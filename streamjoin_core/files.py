"""Writing files so that a reader never meets half of one, and reading what users wrote."""

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from streamjoin_core.errors import InputError


@contextmanager
def atomic_path(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary path beside `path`; it becomes `path` on success and vanishes on failure.

    The temporary name keeps the suffix, since some writers choose their format by it. A device or
    a pipe cannot be replaced by a file, so it is yielded itself.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.is_dir():
            raise InputError(f"cannot write {path}: it is a folder, name a file in it")
        if target.exists() and not target.is_file():
            yield target
            return
        temporary = target.with_name(f".{secrets.token_hex(4)}-{target.name}")
        try:
            yield temporary
            os.replace(temporary, target)
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()
    except OSError as error:
        raise InputError(f"cannot write {path}: {reason(error)}") from error


def read_json(path: str | os.PathLike, what: str):
    """The content of a JSON file; `what` is for messages."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {what} {path}: {reason(error)}") from error
    except ValueError as error:
        raise InputError(f"{what} {path} is not JSON: {error}") from error


def reason(error: OSError) -> str:
    """What the system says is wrong, without the path that some libraries put into it."""
    return os.strerror(error.errno) if error.errno else str(error).partition("\n")[0]


def check_file(path: str | os.PathLike, suffixes: tuple[str, ...] = (".parquet",)) -> None:
    """Refuse what cannot be written, before anything is computed."""
    if Path(path).suffix.lower() not in suffixes:
        raise InputError(f"cannot write {path}: give it the suffix {' or '.join(suffixes)}")
    if Path(path).is_dir():
        raise InputError(f"cannot write {path}: it is a folder, name a file in it")
    if not Path(path).absolute().parent.is_dir():
        raise InputError(f"cannot write {path}: there is no such folder, make it first")
