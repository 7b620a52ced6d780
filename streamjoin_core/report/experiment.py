"""An experiment's findings as JSON, and as rows of a file."""

import os
from pathlib import Path

from streamjoin_core.experiments.base import Curve, Panel
from streamjoin_core.experiments.run import ExperimentReport
from streamjoin_core.files import atomic_path
from streamjoin_core.report.json_text import json_text
from streamjoin_core.report.write import write_csv_rows

SUFFIXES = (".json", ".csv", ".parquet")


def findings_dict(report: ExperimentReport) -> dict:
    """The report as its JSON has it."""
    experiment, setup, findings = report.experiment, report.setup, report.findings
    return {
        "experiment": experiment.name,
        "summary": experiment.summary,
        "paper": experiment.paper,
        "options": {
            "runs": setup.runs,
            "seed": setup.seed,
            "steps": setup.steps,
            "data": None if setup.data is None else str(setup.data),
        },
        "panels": [_panel_dict(panel) for panel in findings.panels],
        "claims": [
            {"claim": claim.text, "holds": claim.holds, "found": claim.found}
            for claim in findings.claims
        ],
        "notes": list(findings.notes),
    }


def _panel_dict(panel: Panel) -> dict:
    return {
        "title": panel.title,
        "x": panel.x,
        "y": panel.y,
        "curves": [
            {"label": curve.label, "points": [_point(curve, place) for place in curve.values]}
            for curve in panel.curves
        ],
    }


def _point(curve: Curve, place) -> dict:
    found = curve.estimate(place)
    mean, low, high = found or (None, None, None)
    return {"x": place, "runs": len(curve.values[place]), "mean": mean, "low": low, "high": high}


def write_findings(report: ExperimentReport, path: str | os.PathLike) -> None:
    """Write JSON whole, CSV and Parquet with one row for each point; all or nothing."""
    suffix = Path(path).suffix.lower()
    with atomic_path(path) as temporary:
        if suffix == ".json":
            temporary.write_text(json_text(findings_dict(report)) + "\n", encoding="utf-8")
        elif suffix == ".csv":
            write_csv_rows(_rows(report), temporary)
        else:
            _write_parquet(_rows(report), temporary)


def _rows(report: ExperimentReport) -> list[dict]:
    whole = findings_dict(report)
    return [
        {
            "experiment": whole["experiment"],
            "panel": panel["title"],
            "curve": curve["label"],
            "measure": panel["y"],
            "axis": panel["x"],
            **point,
            "x": str(point["x"]),  # a number in one experiment, a name in another
        }
        for panel in whole["panels"]
        for curve in panel["curves"]
        for point in curve["points"]
    ]


def _write_parquet(rows: list[dict], path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    numbers = {"runs": "int64", "mean": "double", "low": "double", "high": "double"}
    schema = pa.schema([(name, numbers.get(name, "string")) for name in rows[0]])
    pq.write_table(pa.Table.from_pylist(rows, schema), path)
