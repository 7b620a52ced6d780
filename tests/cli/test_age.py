"""`sjoin age-curve`, `sample` and `alloc`, and `replay` with age curves, as commands."""

import json
import os

import pyarrow.parquet as pq
import pytest
import typer
from typer.testing import CliRunner

import streamjoin_core as sj
from cli.age_curve import age_curve
from cli.alloc import alloc
from cli.replay import replay
from cli.sample import sample
from streamjoin_core.errors import InputError
from tests.cli.test_main import sjoin

COMMANDS = {"age-curve": age_curve, "sample": sample, "alloc": alloc, "replay": replay}
BIDS = sj.generate("auction", steps=600, seed=1, shortest=40, longest=50)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sj.write_trace(BIDS, "bids.parquet")


def run(command: str, *arguments):
    app = typer.Typer()
    app.command()(COMMANDS[command])
    return CliRunner().invoke(app, [*map(str, arguments)], terminal_width=80)


def told(command: str, *arguments) -> dict:
    result = run(command, *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def refusal(command: str, *arguments) -> str:
    result = run(command, *arguments)
    assert isinstance(result.exception, InputError), result.output
    assert result.stdout == ""
    assert "\n" not in str(result.exception)
    return str(result.exception)


def test_a_curve_is_shown_drawn_written_and_used():
    asked = ("bids.parquet", "--window", 50)
    shown = run("age-curve", *asked, "--plot", "curve.svg", "--output", "curve.json")
    assert shown.exit_code == 0, shown.output
    assert "k_opt" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert os.path.getsize("curve.svg") > 1000
    found = told("age-curve", *asked, "--stream", "R")
    assert list(found["curves"]) == ["R"]
    curve = found["curves"]["R"]
    assert len(curve["p"]) == len(curve["C"]) == 50
    assert curve["C"][-1] == pytest.approx(sum(curve["p"])) == curve["results_per_tuple"]
    replayed = (*asked, "--policy", "age", "--mem", 9, "--split", "auto")
    report = told("replay", *replayed, "--age-curve", "curve.json")
    assert report["options"]["age_curve"]["source"] == "given"
    assert report["runs"][0]["parts"] == [9, 0]
    assert 0 < report["runs"][0]["theoretical_recall"] < 1
    assert report["runs"] == told("replay", *replayed)["runs"]


def test_the_same_command_gives_the_same_bytes():
    asked = ("bids.parquet", "--window", "50", "--json")
    for command in (
        ("age-curve", *asked, "--fraction", "0.2"),
        ("sample", *asked, "--method", "eq-cluster", "--mem", "9"),
    ):
        first, second = sjoin(*command), sjoin(*command)
        assert first.returncode == 0, first.stderr
        assert first.stdout == second.stdout


def test_a_sample_is_told_drawn_and_written():
    drawn = ("--method", "pps-cluster", "--by", "age", "--seeds", 3)
    asked = ("bids.parquet", "--window", 50, "--mem", 20, *drawn)
    found = told("sample", *asked, "--aggregate", "avg", "--value-of", "right")
    assert found["memory_promised"] == 20
    assert len(found["runs"]) == 3
    assert len(found["over_time"]) == 100
    assert found["summary"]["error_mean"]["mean"] > 0
    shown = run("sample", *asked, "--output", "sample.parquet", "--plot", "sample.png")
    assert shown.exit_code == 0, shown.output
    assert max(map(len, shown.stdout.splitlines())) <= 80
    table = pq.read_table("sample.parquet")
    assert table.num_rows == found["runs"][0]["sample_size"]
    assert table["left_key"].equals(table["right_key"])
    assert min(table["weight"].to_pylist()) >= 1


def test_memory_across_joins():
    sj.write_trace(sj.generate("auction", steps=600, seed=2, shortest=10, longest=50), "b.parquet")
    found = told("alloc", "bids.parquet", "b.parquet", "--window", 50, "--mem", 40)
    assert found["smallest"] >= found["smallest_proportional"] - 0.02
    assert sum(one["mem"] for one in found["joins"]) <= 40
    shown = run("alloc", "bids.parquet", "b.parquet", "--window", 50, "--mem", 40)
    assert "smallest recall" in shown.stdout


def test_refusals_name_the_way_out():
    with open("short.json", "w") as file:
        json.dump({"R": [1, 2], "S": [1, 2]}, file)
    asked = ("bids.parquet", "--mem", 5, "--window", 50)
    wrong = refusal("replay", *asked, "--policy", "age", "--age-curve", "short.json")
    assert wrong.startswith("age curve short.json has 2 ages for stream 'R'")
    assert "--by age" in refusal("sample", *asked, "--method", "uniform")
    small = refusal("sample", "bids.parquet", "--mem", 1, "--window", 50, "--method", "sample")
    assert "choose uniform" in small
    assert "give one for each" in refusal("alloc", *asked, "--weights", "1,2")
    assert "suffix .json" in refusal("age-curve", "bids.parquet", "--output", "curve.txt")
