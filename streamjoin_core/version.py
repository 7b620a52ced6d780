"""The version of what runs."""

from importlib import metadata


def installed_version() -> str | None:
    """The installed version of sjoin, or None when it runs from its sources alone."""
    try:
        return metadata.version("sjoin")
    except metadata.PackageNotFoundError:
        return None
