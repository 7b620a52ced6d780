"""Raw recordings in other formats become traces: `sjoin ingest`."""

from streamjoin_core.trace.ingest.run import ingest

__all__ = ["ingest"]
