"""Reports as files: JSON whole, CSV and Parquet with one row per run."""

import json
import os
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

from streamjoin_core.errors import InputError
from streamjoin_core.files import atomic_path
from streamjoin_core.report.report import Report


def write_report(report: Report, path: str | os.PathLike) -> None:
    """Write a report, all or nothing, in the format that the file's suffix names."""
    write = check_report_path(path)
    with atomic_path(path) as temporary:
        write(report, temporary)


def check_report_path(path: str | os.PathLike) -> Callable[[Report, Path], None]:
    """The writer for a path; refuses what cannot be written, before anything is computed."""
    suffix = Path(path).suffix.lower()
    if suffix not in _WRITERS:
        known = ", ".join(_WRITERS)
        raise InputError(f"cannot write {path}: its suffix names no format, choose one of {known}")
    if Path(path).is_dir():
        raise InputError(f"cannot write {path}: it is a folder, name a file in it")
    if not Path(path).absolute().parent.is_dir():
        raise InputError(f"cannot write {path}: there is no such folder, make it first")
    return _WRITERS[suffix]


def report_json(report: Report) -> str:
    """The report as JSON text: the same report gives the same bytes."""
    return json.dumps(report.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)


def flat_rows(report: Report) -> list[dict]:
    """One row per run with plain cells: causes of loss apart, and what is nested as JSON text."""
    whole = report.as_dict()
    constant = {
        "trace": whole["trace"]["path"],
        "fingerprint": whole["trace"]["fingerprint"],
        "sjoin": whole["sjoin"],
        "options": _compact(whole["options"]),
    }
    return [_flat(run) | constant for run in whole["runs"]]


def _flat(run: dict) -> dict:
    row = {}
    for name, value in run.items():
        if name in _BY_CAUSE:
            row |= {f"{name}_{cause}": number for cause, number in (value or {}).items()}
        elif isinstance(value, dict | list):
            row[name] = _compact(value)
        elif name == "worst_group":
            row[name] = None if value is None else str(value)
        else:
            row[name] = value
    return row


def _compact(value) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _write_json(report: Report, path: Path) -> None:
    path.write_text(report_json(report) + "\n", encoding="utf-8")


def _write_csv(report: Report, path: Path) -> None:
    write_csv_rows(flat_rows(report), path)


def write_csv_rows(rows: list[dict], path: Path) -> None:
    """Rows that all have the columns of the first."""
    import csv

    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _write_parquet(report: Report, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = flat_rows(report)
    declared = {entry.name: entry.type for entry in fields(report.runs[0])}
    schema = pa.schema([(name, _arrow_type(name, declared)) for name in rows[0]])
    pq.write_table(pa.Table.from_pylist(rows, schema), path)


def _arrow_type(name: str, declared: dict) -> str:
    """A column's type by what the run declares, since cells may all be undefined."""
    if name.startswith(tuple(f"{measure}_" for measure in _BY_CAUSE)):
        return "int64"
    kind = declared.get(name, str)
    kinds = getattr(kind, "__args__", (kind,))
    if str in kinds:
        return "string"
    return next((arrow for plain, arrow in _NUMBERS.items() if plain in kinds), "string")


_BY_CAUSE = ("losses", "sheds")
_NUMBERS = {float: "double", int: "int64"}
_WRITERS = {".json": _write_json, ".csv": _write_csv, ".parquet": _write_parquet}
