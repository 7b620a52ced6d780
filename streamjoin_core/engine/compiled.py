"""Compiling to native code, cached on disk under a name that changes with any source file.

Numba notices a change only in the file of the cached function itself, but our entry points pull in
the engine and the policies' hooks from elsewhere. So the cache directory carries a digest of the
whole package: nobody ever runs yesterday's engine.
"""

import hashlib
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

import numba
from numba.core import config

_PACKAGE = Path(__file__).resolve().parent.parent
_KEPT_VERSIONS = 4  # of one installation; older ones are deleted: each holds every policy's code


@cache
def _version() -> tuple[str, str]:
    """Digests of the installation, which are kept apart, and of its sources."""
    place = hashlib.sha256(f"{sys.version_info[:2]}{_PACKAGE}".encode())
    sources = hashlib.sha256(numba.__version__.encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        sources.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return place.hexdigest()[:8], sources.hexdigest()[:16]


def _candidate_roots() -> list[Path]:
    chosen = os.environ.get("SJOIN_CACHE_DIR")
    if chosen:
        return [Path(chosen)]
    roots = [Path(tempfile.gettempdir()) / f"sjoin-cache-{os.getuid()}"]
    with suppress(RuntimeError):  # executors may run as somebody who has no home
        user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        roots.insert(0, user / "sjoin")
    return roots


def _usable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False


def _forget_old_versions(root: Path, place: str, current: Path) -> None:
    versions = [path for path in root.glob(f"{place}-*") if path != current]
    versions.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in versions[_KEPT_VERSIONS - 1 :]:
        shutil.rmtree(path, ignore_errors=True)


@cache
def cache_directory() -> Path | None:
    """Where compiled code is kept; None when no place is writable: then every start compiles."""
    place, sources = _version()
    for root in _candidate_roots():
        directory = root / f"{place}-{sources}"
        is_new = not directory.exists()
        if _usable(directory):
            if is_new:
                _forget_old_versions(root, place, directory)
            return directory
    return None


def cache_hint() -> str | None:
    """What to tell a user whose compiled code cannot be kept."""
    if cache_directory() is not None:
        return None
    return "compiled code cannot be kept: set SJOIN_CACHE_DIR to a writable directory"


def compiled(function):
    """Compile `function` to native code, kept on disk."""
    return _kept(function)


def arithmetic(function):
    """Compile a loop of arithmetic over arrays, which may then go several numbers at a time.

    Division is the machine's own: by zero it is infinite instead of an error.
    """
    return _kept(function, error_model="numpy")


def entry_point(function):
    """Compile a function that calls an inlined loop; it may not make arrays, but is given all.

    Then numba need not count references to them, which in a loop over many arrays takes ten times
    as long as the loop's own work.
    """
    return _kept(function, _nrt=False, no_cfunc_wrapper=True)


def inlined(function):
    """Compile `function` into each of its callers: it may take compiled functions as arguments."""
    return numba.njit(inline="always", _nrt=False)(function)


def inner(function):
    """Compile `function` as part of the compiled functions that call it, which are what is kept.

    It cannot be called from Python: the wrappers for that take most of the time to compile. Nor is
    it compiled again for every constant that it is called with, as numba would do: a bare 0 is of
    a type of its own there. What a constant decides is found out once all is in one piece.
    """
    dispatcher = numba.njit(
        forceinline=True, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True
    )(function)
    if not config.DISABLE_JIT:
        dispatcher.compile = partial(_compile_for_any_value, dispatcher.compile)
    return dispatcher


def _compile_for_any_value(compile_for, arguments):
    return compile_for(tuple(numba.types.unliteral(argument) for argument in arguments))


def _kept(function, **options):
    """Compile with our own cache directory.

    It is handed to numba only while it wraps this function, so that other numba users in the same
    process keep theirs.
    """
    directory = cache_directory()
    if directory is None:
        return numba.njit(**options)(function)
    theirs = config.CACHE_DIR
    config.CACHE_DIR = str(directory)
    try:
        return numba.njit(cache=True, **options)(function)
    finally:
        config.CACHE_DIR = theirs
