"""The versions of what runs."""

import platform
from importlib import metadata

# What numbers and speed depend on; the last ones are extras.
_PACKAGES = (
    "numpy",
    "scipy",
    "numba",
    "llvmlite",
    "pyarrow",
    "matplotlib",
    "typer",
    "rich",
    "pyspark",
    "ortools",
    "networkx",
)


def installed_version() -> str | None:
    """The installed version of sjoin, or None when it runs from its sources alone."""
    return _version("sjoin")


def versions() -> dict[str, str | None]:
    """By name, None for what is not installed."""
    own = {"python": platform.python_version(), "system": platform.platform(terse=True)}
    return own | {name: _version(name) for name in _PACKAGES}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
