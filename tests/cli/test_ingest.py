"""`sjoin ingest`: options in, summary out."""

import json

import pytest
import typer
from typer.testing import CliRunner

from cli.ingest import ingest as command
from streamjoin_core.errors import InputError
from streamjoin_core.trace import read_trace

app = typer.Typer()
app.command()(command)


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), terminal_width=80)


@pytest.fixture
def clicks(tmp_path):
    path = tmp_path / "clicks.csv"
    path.write_text("ts;topic;user;tenant\n2.5;web;007;a\n1.0;app;7;b\n2.5;app;;a\n")
    return path


MAPPING = ("--time-col", "ts", "--stream-col", "topic", "--key-col", "user", "--delimiter", ";")
CHOICE = ("--time-unit", "s", "--null-keys", "drop", "--keep", "tenant")


def test_summary(clicks, tmp_path):
    out = tmp_path / "trace.parquet"
    result = run(clicks, *MAPPING, *CHOICE, "-o", out)
    assert result.exit_code == 0
    lines = dict(line.split(maxsplit=1) for line in result.stdout.splitlines() if line.strip())
    told = {name: words.strip() for name, words in lines.items()}
    assert told["rows"] == "2, 1 without key dropped"
    assert told["streams"] == "app, web"
    assert told["keys"] == "2 distinct"
    assert told["times"] == "timestamps in ms, sorted"
    assert "key from user, tenant kept" in told["from"]
    trace = read_trace(out, group_by="tenant")
    assert trace.key_values.tolist() == ["007", "7"]
    assert trace.group_labels == ("a", "b")


def test_json(clicks, tmp_path):
    out = tmp_path / "trace.parquet"
    result = run(clicks, *MAPPING, *CHOICE, "-o", out, "--json")
    report = json.loads(result.stdout)
    assert list(report)[:3] == ["schema_version", "sjoin", "output"]
    assert (report["schema_version"], report["output"]) == (1, str(out))
    assert (report["rows"], report["dropped"], report["sorted"]) == (2, 1, True)
    assert (report["format"], report["time_unit"]) == ("csv", "ms")
    assert report["columns"] == {"time": "ts", "stream": "topic", "key": "user"}
    assert report["fingerprint"] == read_trace(out).fingerprint


def test_caching_is_said(tmp_path):
    (tmp_path / "raw.tsv").write_text("a\nb\na\n")
    out = tmp_path / "trace.parquet"
    result = run(
        tmp_path / "raw.tsv", "--no-header", "--time-col", "row", "--key-col", 0, "-o", out
    )
    assert "--problem caching" in result.stdout
    assert read_trace(out, problem="caching").time.tolist() == [0, 1, 2]


def test_two_files_and_quiet(tmp_path):
    left, right, out = (tmp_path / name for name in ("l.csv", "r.csv", "trace.parquet"))
    left.write_text("time,key\n1,2\n")
    right.write_text("time,key\n1,2\n")
    result = run("--left", left, "--right", right, "-o", out, "--quiet")
    assert (result.exit_code, result.output) == (0, "")
    assert read_trace(out).labels == ("left", "right")


def test_refusals(clicks, tmp_path):
    out = tmp_path / "trace.parquet"
    result = run(clicks, *MAPPING, "-o", out, "--no-sort")
    assert isinstance(result.exception, InputError)
    assert result.exception.exit_code == 2
    assert "--time-unit" in str(result.exception)
    assert not out.exists()
    assert run(clicks).exit_code == 2
    assert run(clicks, *MAPPING, *CHOICE, "-o", out, "--no-sort").exception.exit_code == 2
    assert not out.exists()
