"""Traces in whatever form a caller has them."""

import os
from collections.abc import Callable

from streamjoin_core.errors import InputError
from streamjoin_core.progress import Progress
from streamjoin_core.trace.trace import Trace


def as_trace(given, problem: str, progress: Progress) -> Trace:
    """A trace as it is, from a file, from an Arrow table, or from a function that returns one."""
    if isinstance(given, str | os.PathLike):
        from streamjoin_core.trace.read import read_trace

        return read_trace(given, problem=problem, progress=progress)
    if isinstance(given, Callable):
        given = given()
    if isinstance(given, Trace):
        return given
    import pyarrow as pa

    from streamjoin_core.trace.table import trace_from_table

    if not isinstance(given, pa.Table):
        raise InputError(
            f"a {type(given).__name__} is no trace: give a path, a pyarrow Table or a Trace"
        )
    return trace_from_table(given, problem=problem, progress=progress)
