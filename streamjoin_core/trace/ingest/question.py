"""What is to be ingested: the raw files, and which of their columns."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from streamjoin_core.errors import InputError
from streamjoin_core.trace.columns import Columns
from streamjoin_core.trace.ingest.formats import format_of, open_raw
from streamjoin_core.trace.ingest.raw import Dialect, Raw, RowNumbered
from streamjoin_core.trace.layout import Request, find_layout
from streamjoin_core.trace.read import files_in
from streamjoin_core.trace.source import Part, with_label

ROW_NUMBER = "row"

_CACHING_LABEL = "R"
_WRITTEN = ("time", "stream", "key", "importance", "value")


@dataclass(frozen=True)
class RawFile:
    """One raw file, and where it stands: files of a side follow each other."""

    path: str
    format: str
    dialect: Dialect
    numbered: bool  # whether its rows are to be numbered
    side: int
    label: str | None  # of the stream of all rows, if no column tells

    def open(self) -> Raw:
        raw = open_raw(self.path, self.format, self.dialect)
        is_there = not self.numbered or ROW_NUMBER in raw.names
        return raw if is_there else RowNumbered(raw, ROW_NUMBER)


@dataclass(frozen=True)
class Question:
    """All raw files in order, and what of them becomes the trace."""

    files: tuple[RawFile, ...]
    request: Request
    keep: tuple[str, ...]  # more columns
    roles: dict[str, str]  # the column that is read for each
    names: tuple[str, ...]  # all columns that are read
    origin: str

    @property
    def made(self) -> dict:
        """The account of how the trace was made."""
        formats = " + ".join(dict.fromkeys(file.format for file in self.files))
        return {"format": formats, "columns": self.roles, "keep": list(self.keep)}

    def sides(self, parts: list[Part]) -> list[list[Part]]:
        """The files' parts, labelled, by side."""
        labelled = _labelled(parts, self.request.columns, self.files)
        sides = range(self.files[-1].side + 1)
        both = list(zip(self.files, labelled, strict=True))
        return [[part for file, part in both if file.side == side] for side in sides]


def ask(
    paths: dict[str | None, str | os.PathLike],
    columns: Columns,
    *,
    format: str | None,
    dialect: Dialect,
    sort: bool,
    null_keys: str,
    keep: Sequence[str],
    problem: str | None,
) -> Question:
    """Look at the files' columns; `paths` has a file or folder for each side, by label."""
    request = Request(columns, sort, null_keys, problem=problem or "joining")
    found = [
        (path, side, label)
        for side, (label, given) in enumerate(paths.items())
        for path in _paths_at(given)
    ]
    numbered = columns.time == ROW_NUMBER
    files = [
        RawFile(path, format_of(path, format), dialect, numbered, side, label)
        for path, side, label in found
    ]
    raws = [file.open() for file in files]
    if problem != "joining" and None in paths and _has_one_stream(raws[0], columns):
        request = replace(request, problem="caching")
        files = [replace(file, label=_CACHING_LABEL) for file in files]
    for raw, file in zip(raws, files, strict=True):
        _check_columns(raw, columns, file.label, keep)
        if isinstance(raw, RowNumbered) and len(files) > len(paths):
            raise InputError(
                f"{raw.name} is one of several files, of which each one's rows would be numbered "
                "from 0: choose a time with --time-col"
            )
    roles, names = _choose_columns(raws, files, request, keep)
    origin = " + ".join(os.fspath(path) for path in paths.values())
    return Question(tuple(files), request, tuple(keep), roles, tuple(names), origin)


def _paths_at(path: str | os.PathLike) -> list[str]:
    return files_in(path, "files") if os.path.isdir(path) else [os.fspath(path)]


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
    raws: list[Raw], files: list[RawFile], request: Request, keep: Sequence[str]
) -> tuple[dict[str, str], list[str]]:
    """The column of each role that is read, and all columns to read from the files."""
    # Types are not known yet, and a column of nulls goes with every role.
    drafts = [
        Part(raw.name, pa.schema([(name, pa.null()) for name in raw.names]), 0, lambda names: [])
        for raw in raws
    ]
    drafts = _labelled(drafts, request.columns, files)
    layouts = [find_layout(drafts, replace(request, group_by=name)) for name in keep or (None,)]
    names = list(dict.fromkeys(name for layout in layouts for name in layout.names))
    roles = {role: getattr(layouts[0], role) for role in _WRITTEN}
    if files[0].label is not None:
        names.remove(roles.pop("stream"))
    return {role: name for role, name in roles.items() if name is not None}, names


def _labelled(parts: list[Part], columns: Columns, files: Sequence[RawFile]) -> list[Part]:
    return [
        part if file.label is None else with_label(part, columns, file.label)
        for part, file in zip(parts, files, strict=True)
    ]
