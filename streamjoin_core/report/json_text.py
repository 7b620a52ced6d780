"""JSON as all commands print it."""

import json

from streamjoin_core.version import installed_version


def json_text(content: dict) -> str:
    """The content, with the version that made it; the same content gives the same bytes."""
    head = {"schema_version": 1, "sjoin": installed_version()}
    return json.dumps(head | content, indent=2, ensure_ascii=False, allow_nan=False)
