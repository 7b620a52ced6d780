"""The one pipeline from raw files of any format to a trace on disk."""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from streamjoin_core.errors import InputError
from streamjoin_core.progress import Progress, silent
from streamjoin_core.trace.build import assemble
from streamjoin_core.trace.columns import Columns
from streamjoin_core.trace.ingest.plan import Plan, Times
from streamjoin_core.trace.ingest.question import Question, ask
from streamjoin_core.trace.ingest.raw import Dialect
from streamjoin_core.trace.source import Part
from streamjoin_core.trace.trace import Trace
from streamjoin_core.trace.write import write_trace

if TYPE_CHECKING:
    from streamjoin_core.spark.cluster import Cluster

StrPath = str | os.PathLike


def ingest(
    path: StrPath | None = None,
    *,
    left: StrPath | None = None,
    right: StrPath | None = None,
    output: StrPath,
    format: str | None = None,
    columns: Columns | None = None,
    time_format: str | None = None,
    time_unit: str | None = None,
    header: bool = True,
    delimiter: str | None = None,
    sort: bool = True,
    null_keys: str = "error",
    keep: Sequence[str] = (),
    problem: str | None = None,
    spark: "Cluster | None" = None,
    progress: Progress | None = None,
) -> dict:
    """Convert raw files, or two sides with one stream each, into a trace; returns what was done.

    A folder's files follow each other in order of their names. With `spark` a cluster converts
    them, file by file, into a folder of Parquet files.

    The format goes by suffix unless named. Text without types (CSV) becomes integers, else doubles,
    else strings, whichever fits all cells and keeps ids apart: 007 and numbers too long for int64
    stay strings. Times are integers, timestamps, ISO 8601 texts, texts of a `time_format` as
    `strptime` takes it, or numbers of a `time_unit` ("s", "ms", "us", "ns"), which become
    timestamps in a unit fine enough for their decimals. `Columns(time="row")` takes the row number
    where no column is called so. Rows are sorted by time, those of equal time keeping their order.

    A file without a stream column is a trace for caching, unless `problem` says otherwise. `keep`
    names more columns to write, for results by group.
    """
    keep = [keep] if isinstance(keep, str) else list(dict.fromkeys(keep))
    paths = _inputs(path, left, right, problem)
    times = Times(time_format, time_unit)
    if spark is None:
        check_output(output, list(paths.values()))
    question = ask(
        paths,
        columns or Columns(),
        format=format,
        dialect=Dialect(header, delimiter),
        sort=sort,
        null_keys=null_keys,
        keep=keep,
        problem=problem,
    )
    if spark is not None:
        from streamjoin_core.spark.ingest import ingest_on

        return ingest_on(spark, question, times, output, progress or silent)
    plan = Plan(question.request.columns, times)
    raws = [file.open() for file in question.files]
    sides = [file.side for file in question.files]
    parts = plan.parts(raws, list(question.names), sides, progress or silent)
    trace, kept = _assemble(question, parts, progress)
    write_trace(trace, output, {"ingested": question.made}, extra=kept)
    return question.made | {
        "rows": len(trace),
        "dropped": sum(part.rows for part in parts) - len(trace),
        "sorted": plan.has_gone_back,
        "rounded": plan.is_rounded,
        "problem": question.request.problem,
        "streams": list(trace.labels),
        "keys": len(trace.key_values),
        "time_unit": trace.time_unit,
        "fingerprint": trace.fingerprint,
    }


def _inputs(path, left, right, problem) -> dict[str | None, StrPath]:
    """What to read by the label that its rows get, if not from a column."""
    if path is not None and left is None and right is None:
        return {None: path}
    if path is not None or left is None or right is None:
        raise InputError("name either one raw file, or both a left and a right one")
    if problem == "caching":
        raise InputError("caching has one stream: name one raw file, not a left and a right one")
    return {"left": left, "right": right}


def check_output(output: StrPath, paths: list[StrPath]) -> None:
    """Find out before a long reading that its result could not be written."""
    folder = os.path.dirname(os.path.realpath(output))
    if not os.path.isdir(folder):
        raise InputError(f"cannot write {output}: there is no folder {folder}, make it first")
    for path in paths:
        if os.path.exists(output) and os.path.exists(path) and os.path.samefile(output, path):
            raise InputError(f"{output} is the raw file itself: write the trace to another file")


def _assemble(
    question: Question, parts: list[Part], progress: Progress | None
) -> tuple[Trace, dict[str, pa.DictionaryArray]]:
    """The trace, and the columns to keep.

    A trace has one column of groups, so with more to keep the files are read again for each.
    """
    trace, kept, sides = None, {}, question.sides(parts)
    for name in question.keep or (None,):
        grouped = replace(question.request, group_by=name)
        read = assemble(sides, grouped, origin=question.origin, metadata={}, progress=progress)
        if name is not None:
            labels = pa.array(list(read.group_labels))
            kept[name] = pa.DictionaryArray.from_arrays(pa.array(read.group), labels)
        trace = read if trace is None else trace
    return trace, kept
