"""Importance, fairness and the frontier on the command line."""

import json

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.test_main import sjoin
from tests.report.test_report import SCHEMA

ARRIVALS = {
    "time": list(range(1, 41)),
    "stream": ["R", "S"] * 20,
    "key": [n * n % 5 for n in range(40)],
    "sensor": [n % 3 for n in range(40)],
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table(ARRIVALS), "trace.parquet")
    (tmp_path / "worth.csv").write_text("sensor,importance,from_time\n0,1,\n1,2,\n2,3,\n2,9,20\n")
    return tmp_path


def test_replay_with_a_table_that_changes():
    command = ["replay", "trace.parquet", "--policy", "exact,greedy,ijoin:tau=0", "--mem", "4"]
    options = ["--importance", "worth.csv", "--opt", "--objective", "both", "--fairness"]
    told = sjoin(*command, *options, "--json")
    assert told.returncode == 0, told.stderr
    report = json.loads(told.stdout)
    jsonschema.validate(report, SCHEMA)
    assert report["options"]["importance"] == "worth.csv"
    assert [run["parts"] for run in report["runs"]] == [None, None, [2, 2]]
    assert report["runs"][2]["recomputations"] > 0
    shown = sjoin(*command, *options).stdout
    assert "importance from worth.csv" in shown
    assert "scores recomputed" in shown
    assert "How those that left had stayed" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_opt_offline_with_bins():
    with open("bins.csv", "w") as file:
        file.write("sensor,importance\n-inf,1\n2,5\n")
    told = sjoin(
        *("opt-offline", "trace.parquet", "--mem", "3", "--objective", "importance"),
        *("--importance-bins", "bins.csv", "--json"),
    )
    assert told.returncode == 0, told.stderr
    (run,) = json.loads(told.stdout)["runs"]
    assert run["status"] == "optimal"


def test_bad_table():
    told = sjoin("replay", "trace.parquet", "--policy", "fifo", "--mem", "3", "--importance", "no")
    assert (told.returncode, told.stdout) == (2, "")
    assert "cannot read no" in told.stderr


def test_frontier():
    command = ("frontier", "trace.parquet", "--mem", "4", "--vary", "tau=0:4:2")
    told = sjoin(*command, "--plot", "out.png", "--importance", "worth.csv")
    assert told.returncode == 0, told.stderr
    assert "frontier" in told.stdout
    report = json.loads(sjoin(*command, "--json").stdout)
    assert len(report["runs"]) == 7
    assert report["efficient"]
    assert sjoin(*command[:-1], "tau").returncode == 2
