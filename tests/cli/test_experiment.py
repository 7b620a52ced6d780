"""`sjoin experiment`: list, table, JSON, picture and files."""

import csv
import json
from pathlib import Path

import jsonschema
import pyarrow.parquet as pq
import pytest
import typer
from typer.testing import CliRunner

from cli.experiment import experiment
from streamjoin_core.errors import InputError
from streamjoin_core.experiments.registry import all_experiments
from streamjoin_core.report import experiment as report

app = typer.Typer()
app.command()(experiment)
SCHEMA = Path(report.__file__).with_name("schema_experiment.json")
SMALL = ("fig16", "--runs", "2", "--steps", "50", "--jobs", "1")


def run(*arguments: str):
    return CliRunner().invoke(app, [str(one) for one in arguments], terminal_width=80)


@pytest.mark.parametrize("arguments", [(), ("--list",), ("fig8", "--list")])
def test_list(arguments):
    text = run(*arguments).stdout
    assert max(map(len, text.splitlines())) <= 80
    for one in all_experiments():
        assert f"{one.name} " in text
        assert one.summary.split()[0] in text


def test_list_as_json():
    entries = json.loads(run("--json").stdout)["experiments"]
    by_name = {entry["name"]: entry for entry in entries}
    assert by_name["fig8"]["runs"] == 50
    assert by_name["fig15"]["needs_data"].startswith("daily temperatures")
    assert by_name["fig6"]["steps"] is None


def test_table():
    text = run(*SMALL).stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "2 runs, mean ± 95 % interval; the paper has 50 (--runs 50); 50 steps; seed 0" in text
    assert "R lags behind S: R's share of the memory" in text
    assert "What the paper says" in text
    assert "holds the further R lags behind, the less memory it gets" in text


def test_long_curves_are_thinned_out():
    text = run("fig6").stdout
    assert "21 of 41 points; --output writes all" in text
    assert "±" not in text


def test_json_is_the_same_again_and_in_the_file(tmp_path):
    path = tmp_path / "found.json"
    first, again = run(*SMALL, "--json").stdout, run(*SMALL, "--json", "-o", path).stdout
    assert first == again == path.read_text(encoding="utf-8")
    found = json.loads(first)
    jsonschema.validate(found, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert found["options"] == {"runs": 2, "seed": 0, "steps": 50, "data": None}
    assert {claim["holds"] for claim in found["claims"]} <= {True, False}


def test_rows(tmp_path):
    table, text = tmp_path / "found.parquet", tmp_path / "found.csv"
    for path in (table, text):
        assert run(*SMALL, "--quiet", "--output", path).stdout == ""
    rows = pq.read_table(table).to_pylist()
    with text.open(encoding="utf-8", newline="") as file:
        assert [row["x"] for row in csv.DictReader(file)] == [row["x"] for row in rows]
    assert [row["x"] for row in rows] == ["0", "2", "4", "1", "2", "4"]
    assert {row["curve"] for row in rows} == {"heeb"}
    assert all(row["low"] <= row["mean"] <= row["high"] for row in rows)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_picture_is_the_same_again(tmp_path, suffix):
    first, again = (tmp_path / f"{name}.{suffix}" for name in "ab")
    assert run("fig6", "--plot", first, "--quiet").stdout == ""
    run("fig6", "--plot", again)
    assert first.read_bytes() == again.read_bytes()
    assert len(first.read_bytes()) > 5000


def test_picture_of_bars(tmp_path):
    path = tmp_path / "bars.svg"
    run(*SMALL, "--plot", path)
    drawn = path.read_text(encoding="utf-8")
    assert "<!-- R lags behind S -->" in drawn
    assert "<!-- deviation of S (of R's) -->" in drawn


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fig8", "--plot", "a.gif"), "cannot write a.gif: give it the suffix .png or .svg"),
        (("fig8", "--output", "a.txt"), "cannot write a.txt: give it the suffix .json or .csv"),
        (("fig8", "--plot", "nowhere/a.png"), "there is no such folder"),
        (("fig88",), "there is no experiment 'fig88'"),
        (("fig15",), "give it with --data FILE"),
    ],
)
def test_refusals(arguments, message):
    result = run(*arguments)
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)
