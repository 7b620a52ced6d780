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
    keep = [keep] if isinstance(keep, str) else list(dict.fromkeys(keep))
    paths, labels = _inputs(path, left, right, problem)
    _check_output(output, paths)
    request = Request(columns or Columns(), sort, null_keys, problem=problem or "joining")
    plan = Plan(request.columns, Times(time_format, time_unit))
    formats = [format_of(name, format) for name in paths]
    raws = _open(paths, formats, Dialect(header, delimiter), request.columns)
    if problem != "joining" and labels == [None] and _has_one_stream(raws[0], request.columns):
        request, labels = replace(request, problem="caching"), [_CACHING_LABEL]
    for raw, label in zip(raws, labels, strict=True):
        _check_columns(raw, request.columns, label, keep)

    roles, names = _choose_columns(raws, labels, request, keep)
    parts = plan.parts(raws, names, progress or silent)
    sides = [[part] for part in _labelled(parts, request.columns, labels)]
    trace, kept = _assemble(sides, request, keep, " + ".join(paths), progress)

    made = {"format": " + ".join(dict.fromkeys(formats)), "columns": roles, "keep": keep}
    write_trace(trace, output, {"ingested": made}, extra=kept)
    return made | {
        "rows": len(trace),
        "dropped": sum(part.rows for part in parts) - len(trace),
        "sorted": plan.has_gone_back,
        "rounded": plan.is_rounded,
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


def _open(paths: list[str], formats: list[str], dialect: Dialect, columns: Columns) -> list[Raw]:
    raws = [open_raw(*file, dialect) for file in zip(paths, formats, strict=True)]
    if columns.time != ROW_NUMBER:
        return raws
    return [raw if ROW_NUMBER in raw.names else RowNumbered(raw, ROW_NUMBER) for raw in raws]


def _has_one_stream(raw: Raw, columns: Columns) -> bool:
    """Whether the file does without a stream column, and the user names none."""
    return columns.stream == Columns().stream and columns.stream not in raw.names


def _check_columns(raw: Raw, columns: Columns, label: str | None, keep: Sequence[str]) -> None:
    """Refuse to go on without a column that must be there."""
    _require(raw, columns.time, "--time-col", f"or --time-col {ROW_NUMBER} for the row number")
    _require(raw, columns.key, "--key-col")
    if label is None:
        _require(raw, columns.stream, "--stream-col", "or --problem caching for one stream")
    for name in keep:
        _require(raw, name, "--keep")
        if name in _WRITTEN:
            raise InputError(
                f"column {name!r} cannot be kept beside the trace's own of that name: rename it"
            )


def _require(raw: Raw, name: str, option: str, way_out: str = "") -> None:
    if name not in raw.names:
        there = ", ".join(map(repr, raw.names))
        raise InputError(
            f"{raw.name} has no column {name!r}: choose one of its columns with {option} (there "
            f"are: {there}) {way_out}".rstrip()
        )


def _choose_columns(
    raws: list[Raw], labels: list[str | None], request: Request, keep: Sequence[str]
) -> tuple[dict[str, str], list[str]]:
    """The column of each role that is read, and all columns to read from the files."""
    # Types are not known yet, and a column of nulls goes with every role.
    drafts = [
        Part(raw.name, pa.schema([(name, pa.null()) for name in raw.names]), 0, lambda names: [])
        for raw in raws
    ]
    drafts = _labelled(drafts, request.columns, labels)
    layouts = [find_layout(drafts, replace(request, group_by=name)) for name in keep or (None,)]
    names = list(dict.fromkeys(name for layout in layouts for name in layout.names))
    roles = {role: getattr(layouts[0], role) for role in _WRITTEN}
    if labels != [None]:
        names.remove(roles.pop("stream"))
    return {role: name for role, name in roles.items() if name is not None}, names


def _labelled(parts: list[Part], columns: Columns, labels: list[str | None]) -> list[Part]:
    return [
        part if label is None else with_label(part, columns, label)
        for part, label in zip(parts, labels, strict=True)
    ]


def _assemble(
    sides: list[list[Part]],
    request: Request,
    keep: Sequence[str],
    origin: str,
    progress: Progress | None,
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
