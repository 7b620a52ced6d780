"""`sjoin inspect`: options, what is printed, and what is refused."""

import json

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from cli.inspect import inspect as command
from streamjoin_core.errors import InputError
from streamjoin_core.inspection import inspect
from streamjoin_core.trace import Columns, read_trace, trace_from_arrays, write_trace
from streamjoin_core.trace.scenarios import generate

app = typer.Typer()
app.command()(command)


@pytest.fixture(autouse=True)
def in_a_folder_with_traces(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_trace(generate("tower", steps=200, seed=1), "tower.parquet")
    write_trace(generate("zipf", steps=200, streams=1), "references.parquet")
    write_trace(generate("importance", steps=3000), "importance.parquet")
    write_trace(trace_from_arrays([], [], []), "empty.parquet")
    write_trace(of_words(), "words.parquet")


def of_words():
    """Timestamps, long names and long labels."""
    time = np.datetime64("2024-05-01T00:00:00.000000001") + np.arange(300) * 10**9
    words = [f"a customer with quite a long name, number {row % 7}" for row in range(300)]
    labels = ["orders of the last year", "payments of the last year"]
    return trace_from_arrays(time, words, np.array(labels)[np.arange(300) % 2])


def run(*arguments: str):
    return CliRunner().invoke(app, arguments, terminal_width=80)


def text(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def report(*arguments: str) -> dict:
    return json.loads(text(*arguments, "--json"))


def refusal(*arguments: str) -> str:
    result = run(*arguments)
    assert isinstance(result.exception, InputError), result.output
    assert result.stdout == ""
    return str(result.exception)


def test_json_is_the_librarys():
    options = {"window": "10:15", "warmup": 5, "top": 2}
    found = inspect(read_trace("tower.parquet"), **options)
    arguments = ["tower.parquet", "--window", "10:15", "--warmup", "5", "--top", "2"]
    assert report(*arguments) == found.as_dict()
    assert text(*arguments, "--json") == text(*arguments, "--json")


def test_json_shape():
    found = report("tower.parquet", "--window", "10:15")
    assert list(found)[:4] == ["schema_version", "sjoin", "trace", "options"]
    assert list(found["trace"]) == ["path", "rows", "fingerprint"]
    assert found["options"]["window"] == [10, 15]
    assert found["caching"] is None
    assert found["joining"]["memory_for_full_recall"] < found["joining"]["most_in_window"]
    assert found["metadata"]["model"] == {"R": "trend", "S": "trend"}
    assert (found["metadata"]["scenario"], found["metadata"]["seed"]) == ("tower", 1)


def test_text_tells_what_json_tells():
    found = report("tower.parquet", "--window", "10:15")
    told = text("tower.parquet", "--window", "10:15")
    joining = found["joining"]
    needed = joining["memory_for_full_recall"]
    time = joining["memory_for_full_recall_time"]
    assert f"exact results        {joining['exact']}, and" in told
    assert f"full recall needs    {needed} tuples, first at time {time}" in told
    assert "key_R = key_S, window 10:15" in told
    assert "scenario    tower" in told
    assert "model       R trend, S trend" in told


@pytest.mark.parametrize(
    "arguments",
    [
        ("tower.parquet", "--band", "-1:1", "--window", "100", "--window-kind", "tuples"),
        ("importance.parquet", "--window", "50", "--warmup", "3"),
        ("words.parquet", "--window", "1m", "--on", "!="),
        ("references.parquet", "--problem", "caching"),
        ("references.parquet", "--problem", "caching", "--warmup", "999999", "--top", "0"),
        ("empty.parquet",),
        ("empty.parquet", "--problem", "caching"),
    ],
)
def test_text_fits_80_columns(arguments, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    told = text(*arguments)
    assert max(map(len, told.splitlines())) <= 80
    assert "None" not in told
    assert "nan" not in told


def test_importance_and_words():
    assert "their importance" in text("importance.parquet", "--window", "50")
    told = text("words.parquet", "--window", "1m", "--top", "1")
    assert "their importance" not in told
    assert "rows per second" in told
    assert "duration 5.0 min" in told


def test_caching():
    found = report("references.parquet", "--problem", "caching")
    assert found["joining"] is None
    rows, distinct = found["trace"]["rows"], found["keys"]["distinct"]
    assert found["caching"]["hits"] == rows - distinct
    assert f"hits if unlimited   {rows - distinct}" in text(
        "references.parquet", "--problem", "caching"
    )


def test_two_files():
    arguments = ("--left", "tower.parquet", "--right", "references.parquet", "--band", "-3:3")
    found = report(*arguments)
    assert [stream["label"] for stream in found["streams"]] == ["left", "right"]
    assert found["metadata"]["right"]["model"] == {"R": "stationary"}
    assert "scenario zipf" in text(*arguments)


def test_column_mapping_order_and_null_keys():
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {"at": [3, 1, 2], "from": ["S", "R", "R"], "user": [7, 7, None], "worth": [1.0, 2, 3]}
    pq.write_table(pa.table(columns), "raw.parquet")
    names = ["--time-col", "at", "--stream-col", "from", "--key-col", "user"]
    names += ["--importance-col", "worth"]
    found = report("raw.parquet", *names, "--sort", "--null-keys", "drop")
    mapping = Columns("at", "from", "user", "worth")
    trace = read_trace("raw.parquet", columns=mapping, sort=True, null_keys="drop")
    assert found == inspect(trace).as_dict()
    assert (found["joining"]["exact"], found["joining"]["exact_importance"]) == (1, 1.0)
    assert "--sort" in refusal("raw.parquet", *names, "--null-keys", "drop")
    assert "--null-keys drop" in refusal("raw.parquet", *names, "--sort")


def test_help_keeps_the_examples_apart():
    told = text("--help")
    assert sum(line.strip().startswith("sjoin inspect") for line in told.splitlines()) == 6


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name either one trace, or both"),
        (("nowhere.parquet",), "cannot read nowhere.parquet"),
        # Options are looked at before the file.
        (("nowhere.parquet", "--on", "~"), "join condition '~' is unknown"),
        (("nowhere.parquet", "--band", "1"), "is not two numbers"),
        (("nowhere.parquet", "--warmup", "-1"), "warm-up is -1"),
        (("nowhere.parquet", "--problem", "sorting"), "problem 'sorting' is unknown"),
        (("tower.parquet", "--window", "10s"), "times are integers"),
        (("words.parquet", "--window", "10"), "times are timestamps"),
        (("words.parquet", "--band", "0:1"), "a band needs keys that are numbers"),
        (("tower.parquet", "--problem", "caching"), "caching has one stream"),
        (
            ("references.parquet", "--problem", "caching", "--window", "3"),
            "caching has no --window",
        ),
    ],
)
def test_refusals(arguments, words):
    assert words in refusal(*arguments)
