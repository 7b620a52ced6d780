"""The one pipeline from raw files of any format to a trace on disk."""

import os
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from streamjoin_core.errors import InputError
from streamjoin_core.progress import Progress, silent
from streamjoin_core.trace.build import assemble
from streamjoin_core.trace.columns import Columns
from streamjoin_core.trace.ingest.formats import format_of, open_raw
from streamjoin_core.trace.ingest.plan import Plan, Times
from streamjoin_core.trace.ingest.raw import Dialect, Raw, RowNumbered
from streamjoin_core.trace.layout import Request, find_layout
from streamjoin_core.trace.source import Part, with_label
from streamjoin_core.trace.trace import Trace
from streamjoin_core.trace.write import write_trace

ROW_NUMBER = "row"

_CACHING_LABEL = "R"
_WRITTEN = ("time", "stream", "key", "importance", "value")

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
    progress: Progress | None = None,
) -> dict:
    """Convert a raw file, or two with one stream each, into a trace; returns what was done.

    The format goes by suffix unless named. Text without types (CSV) becomes integers, else doubles,
    else strings, whichever fits all cells and keeps ids apart: 007 and numbers too long for int64
    stay strings. Times are integers, timestamps, ISO 8601 texts, texts of a `time_format` as
    `strptime` takes it, or numbers of a `time_unit` ("s", "ms", "us", "ns"), which become
    timestamps in a unit fine enough for their decimals. `Columns(time="row")` takes the row number
    where no column is called so. Rows are sorted by time, those of equal time keeping their order.

    A file without a stream column is a trace for caching, unless `problem` says otherwise. `keep`
    names more columns to write, for results by group.
    """
    progress = progress or silent
    paths, labels = _inputs(path, left, right, problem)
    _check_output(output, paths)
    columns = columns or Columns()
    formats = [format_of(name, format) for name in paths]
    dialect = Dialect(header, delimiter)
    times = Times(time_format, time_unit)
    raws = [
        _with_row_numbers(open_raw(name, format, dialect), columns)
        for name, format in zip(paths, formats, strict=True)
    ]
    _check_kept(keep, raws)
    if labels == [None] and _lacks_stream(raws[0], columns, problem):
        labels, problem = [_CACHING_LABEL], "caching"
    request = Request(columns, sort, null_keys, problem=problem or "joining")

    roles, wanted = _choose_columns(raws, labels, request, keep)
    plan = Plan(columns, times)
    parts = plan.parts(raws, wanted, progress)
    sides = [[_labelled(part, columns, label)] for part, label in zip(parts, labels, strict=True)]
    trace, kept = _assemble(sides, request, keep, " + ".join(paths), progress)

    account = {
        "format": " + ".join(dict.fromkeys(formats)),
        "columns": roles,
        **({"keep": list(keep)} if keep else {}),
        **({"time_format": time_format} if time_format else {}),
        **({"time_unit": time_unit} if time_unit else {}),
    }
    write_trace(trace, output, {"ingested": account}, extra=kept)
    return {
        "rows": len(trace),
        "dropped": sum(part.rows for part in parts) - len(trace),
        "sorted": plan.has_gone_back,
        "rounded": plan.is_rounded,
        "format": account["format"],
        "columns": roles,
        "keep": list(keep),
        "problem": request.problem,
        "streams": list(trace.labels),
        "keys": len(trace.key_values),
        "time_unit": trace.time_unit,
        "fingerprint": trace.fingerprint,
    }


def _inputs(path, left, right, problem) -> tuple[list[str], list[str | None]]:
    """The files to read, and the label that each one's rows get, if not from a column."""
    if path is not None and left is None and right is None:
        return [os.fspath(path)], [None]
    if path is not None or left is None or right is None:
        raise InputError("name either one raw file, or both a left and a right one")
    if problem == "caching":
        raise InputError("caching has one stream: name one raw file, not a left and a right one")
    return [os.fspath(left), os.fspath(right)], ["left", "right"]


def _check_output(output: StrPath, paths: list[str]) -> None:
    """Find out before a long reading that its result could not be written."""
    folder = os.path.dirname(os.path.realpath(output))
    if not os.path.isdir(folder):
        raise InputError(f"cannot write {output}: there is no folder {folder}, make it first")
    for path in paths:
        if os.path.exists(output) and os.path.exists(path) and os.path.samefile(output, path):
            raise InputError(f"{output} is the raw file itself: write the trace to another file")


def _with_row_numbers(raw: Raw, columns: Columns) -> Raw:
    is_wanted = columns.time == ROW_NUMBER and ROW_NUMBER not in raw.names
    return RowNumbered(raw, ROW_NUMBER) if is_wanted else raw


def _check_kept(keep: Sequence[str], raws: list[Raw]) -> None:
    for name in keep:
        if name in _WRITTEN:
            raise InputError(
                f"column {name!r} cannot be kept beside the trace's own of that name: rename it"
            )
        for raw in raws:
            if name not in raw.names:
                there = ", ".join(map(repr, raw.names))
                raise InputError(
                    f"{raw.name} has no column {name!r} to keep: choose one of its columns with "
                    f"--keep (there are: {there})"
                )


def _lacks_stream(raw: Raw, columns: Columns, problem: str | None) -> bool:
    may_lack = problem != "joining" and columns.stream == Columns().stream
    return may_lack and columns.stream not in raw.names


def _choose_columns(
    raws: list[Raw], labels: list, request: Request, keep: Sequence[str]
) -> tuple[dict[str, str], list[list[str]]]:
    """The column of each role that is read, and the columns to read from each file."""
    # Types are not known yet, and a column of nulls goes with every role.
    drafts = [
        Part(raw.name, pa.schema([(name, pa.null()) for name in raw.names]), 0, lambda names: [])
        for raw in raws
    ]
    drafts = [
        _labelled(draft, request.columns, label)
        for draft, label in zip(drafts, labels, strict=True)
    ]
    layouts = [find_layout(drafts, replace(request, group_by=name)) for name in keep or (None,)]
    names = list(dict.fromkeys(name for layout in layouts for name in layout.names))
    roles = {role: getattr(layouts[0], role) for role in _WRITTEN}
    if labels != [None]:
        names.remove(request.columns.stream)
        roles["stream"] = None
    return {role: name for role, name in roles.items() if name}, [names] * len(raws)


def _labelled(part: Part, columns: Columns, label: str | None) -> Part:
    return part if label is None else with_label(part, columns, label)


def _assemble(
    sides: list[list[Part]],
    request: Request,
    keep: Sequence[str],
    origin: str,
    progress: Progress,
) -> tuple[Trace, dict[str, pa.DictionaryArray]]:
    """The trace, and the columns to keep.

    A trace has one column of groups, so with more to keep the files are read again for each.
    """
    trace, kept = None, {}
    for name in keep or (None,):
        grouped = replace(request, group_by=name)
        read = assemble(sides, grouped, origin=origin, metadata={}, progress=progress)
        if name is not None:
            labels = pa.array(list(read.group_labels))
            kept[name] = pa.DictionaryArray.from_arrays(pa.array(read.group), labels)
        trace = read if trace is None else trace
    return trace, kept
