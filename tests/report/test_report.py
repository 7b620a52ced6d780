"""Reports: their JSON and its schema, files, and the table."""

import csv
import json
from importlib import resources

import jsonschema
import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import streamjoin_core as sj
from streamjoin_core.report.table import report_table
from streamjoin_core.report.write import report_json
from tests.small_traces import SMALL, STATIONARY, references, trace

SCHEMA = json.loads(resources.files("streamjoin_core.report").joinpath("schema.json").read_text())
GROUPED = trace("1Ra 2Sa 3Rb 4Sb 5Sa", group=["x", "y", "x", "y", "x"], importance=[1, 2, 0, 3, 1])

# Every shape that a report can have.
REPORTS = {
    "plain": lambda: sj.replay(SMALL, policy="fifo,exact,greedy", mem="1,2", window="3:4"),
    "seeds": lambda: sj.replay(SMALL, policy="fifo,rand", mem=2, seeds=3),
    "groups": lambda: sj.replay(GROUPED, policy="fifo,greedy", mem=1, combine="sum", warmup=1),
    "number groups": lambda: sj.replay(
        trace("1Ra 2Sa 3Sa", group=[2, 1, 2]), policy="fifo", mem=1, count_same_step=True
    ),
    "unlimited": lambda: sj.replay(SMALL, policy="ttl:left=2,jtl", on="<="),
    "band": lambda: sj.replay(
        sj.trace_from_arrays([1, 2], [1, 2.5], ["R", "S"]), policy="fifo", mem=1, band="-1:2.5"
    ),
    "empty": lambda: sj.replay(trace(""), policy="fifo,rand", mem=1, seeds=2),
    "model": lambda: sj.replay(SMALL, policy="prob", mem=1, model={"R": STATIONARY}),
    "dominance": lambda: sj.replay(
        SMALL, policy="exact,prob", mem=1, model={"R": STATIONARY}, dominance=True
    ),
    "partitions": lambda: sj.replay(GROUPED, policy="fifo", mem=4, partitions=2, balance=True),
    "caching": lambda: sj.replay(
        references("abcabb"),
        policy="lru,rand,a0",
        mem=2,
        problem="caching",
        seeds=2,
        model={"R": STATIONARY},
    ),
}


@pytest.fixture(params=REPORTS, scope="module")
def report(request) -> sj.Report:
    return REPORTS[request.param]()


def table_text(report: sj.Report, width: int = 80) -> str:
    console = Console(width=width, highlight=False, markup=False)
    with console.capture() as capture:
        console.print(report_table(report))
    return capture.get()


def told_by(report: sj.Report) -> str:
    """The table's words, wherever its lines end."""
    return " ".join(table_text(report).split())


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_json_follows_the_schema(report):
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(report_json(report)))


def test_the_schema_refuses_what_is_not_in_it():
    content = REPORTS["plain"]().as_dict()
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert validator.is_valid(content)
    del content["runs"][0]["recall"]
    assert not validator.is_valid(content)
    content["runs"].pop(0)
    content["surprise"] = 1
    assert not validator.is_valid(content)


def test_order_of_keys():
    content = REPORTS["plain"]().as_dict()
    assert list(content) == SCHEMA["required"]
    assert list(content["trace"]) == ["path", "rows", "fingerprint"]
    assert list(content["runs"][0]) == SCHEMA["$defs"]["joining_run"]["required"]
    caching = REPORTS["caching"]().as_dict()
    assert list(caching["runs"][0]) == SCHEMA["$defs"]["caching_run"]["required"]


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("suffix", ["json", "csv", "parquet"])
def test_same_bytes_twice(tmp_path, name, suffix):
    paths = [tmp_path / f"{count}.{suffix}" for count in range(2)]
    for path in paths:
        sj.write_report(REPORTS[name](), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert len(list(tmp_path.iterdir())) == 2


def test_json_read_back(report, tmp_path):
    sj.write_report(report, tmp_path / "report.json")
    text = (tmp_path / "report.json").read_text()
    assert json.loads(text) == report.as_dict()
    assert text == report_json(report) + "\n"


def test_csv_read_back(report, tmp_path):
    sj.write_report(report, tmp_path / "report.csv")
    with open(tmp_path / "report.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(report.runs)
    for row, run in zip(rows, report.runs, strict=True):
        assert row["label"] == run.label
        assert row["mem"] == ("" if run.mem is None else str(run.mem))
        assert json.loads(row["params"]) == run.params
        assert row["fingerprint"] == report.trace["fingerprint"]
        assert row["fairness"] == ("" if run.fairness is None else repr(run.fairness))


def test_parquet_read_back(report, tmp_path):
    sj.write_report(report, tmp_path / "report.parquet")
    table = pq.read_table(tmp_path / "report.parquet")
    rows = table.to_pylist()
    assert len(rows) == len(report.runs)
    for row, run in zip(rows, report.runs, strict=True):
        names = ("label", "mem", "evicted", "fairness", "mean_lifetime")
        assert [row[name] for name in names] == [getattr(run, name) for name in names]
        if isinstance(run, sj.JoinRun):
            losses = {cause: row[f"losses_{cause}"] for cause in run.losses}
            assert losses == run.losses
            assert (row["groups"] and json.loads(row["groups"])) == run.groups
    types = {name: str(table.schema.field(name).type) for name in ("mem", "fairness", "params")}
    assert types == {"mem": "int64", "fairness": "double", "params": "string"}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("report.txt", "its suffix names no format, choose one of .json, .csv, .parquet"),
        ("report", "its suffix names no format"),
        ("nowhere/report.csv", "there is no such folder, make it first"),
        (".", "its suffix names no format"),
        ("folder.json", "it is a folder, name a file in it"),
    ],
)
def test_paths_that_cannot_be_written(tmp_path, name, words):
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(sj.InputError, match=words):
        sj.write_report(REPORTS["plain"](), tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.json"]


def test_writing_is_all_or_nothing(tmp_path, monkeypatch):
    path = tmp_path / "report.csv"
    path.write_text("old")

    def fail(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(csv.DictWriter, "writerows", fail)
    with pytest.raises(sj.InputError, match="No space left on device"):
        sj.write_report(REPORTS["plain"](), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_table_fits_80_columns(report):
    text = table_text(report)
    assert max(map(len, text.splitlines())) <= 80
    for run in report.runs:
        assert run.policy in text


@pytest.mark.parametrize("objective", ["importance", "both"])
def test_table_beside_the_best_fits_too(objective):
    """Under a known model prob also has a recall in theory, for which that leaves no room."""
    rows = np.arange(40)
    weights = rows % 4 + 1.0
    sides = np.array(["R", "S"])[rows % 2]
    arrivals = sj.trace_from_arrays(rows, rows % 3, sides, importance=weights)
    report = sj.replay(
        arrivals, policy="exact,prob,ijoin", mem=2, window=9, opt=True, objective=objective
    )
    text = table_text(report)
    assert "fairness" in text
    assert "of best" in text
    assert f"worth {report.runs[0].exact_importance:,.0f}" in text


def test_table_of_large_counts_fits_too():
    rows = np.arange(4000)
    crowd = sj.trace_from_arrays(rows, np.zeros(4000, int), np.array(["R", "S"])[rows % 2])
    policies = "exact,rand,until-expiry,ttl:left=1000,right=3000"
    text = table_text(sj.replay(crowd, policy=policies, mem="3000", seeds=2, combine="sum"))
    assert max(map(len, text.splitlines())) <= 80
    assert "3,998,000" in text or "4,000,000" in text
    assert "…" not in text


def test_table_tells_what_was_asked():
    text = told_by(REPORTS["plain"]())
    assert "6 rows; exact join 4 results" in text
    assert "key_R = key_S, window 3:4, shared memory, probe-first" in text
    assert "-1 <= key_S - key_R <= 2.5, no window" in told_by(REPORTS["band"]())
    assert "warm-up of 1 not counted" in told_by(REPORTS["groups"]())
    assert "model from the user" in told_by(REPORTS["model"]())
    assert "no limit" in told_by(REPORTS["unlimited"]())


def test_table_tells_groups_and_intervals():
    assert "Groups with the lowest recall" in told_by(REPORTS["groups"]())
    assert "Over 3 seeds: mean, and its 95 % confidence interval" in told_by(REPORTS["seeds"]())
    assert "weighed" in told_by(REPORTS["groups"]())
    assert "weighed" not in told_by(REPORTS["plain"]())
