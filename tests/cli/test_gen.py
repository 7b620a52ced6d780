"""`sjoin gen`: options of scenarios, what is written, what is printed, and what is refused."""

import json
import os

import pytest
import typer
from typer.testing import CliRunner

from cli.gen import CONTEXT_SETTINGS, gen
from streamjoin_core.errors import InputError
from streamjoin_core.trace import read_trace
from streamjoin_core.trace.scenarios import generate, scenarios

app = typer.Typer()
app.command(context_settings=CONTEXT_SETTINGS)(gen)


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*arguments: str):
    return CliRunner().invoke(app, arguments, terminal_width=80)


def made_by(*arguments: str) -> dict:
    """How the trace was made, as its file tells."""
    result = run(*arguments, "-o", "out.parquet", "--steps", "20")
    assert result.exit_code == 0, result.output
    return read_trace("out.parquet").metadata


def refusal(*arguments: str) -> str:
    result = run(*arguments)
    assert isinstance(result.exception, InputError), result.output
    assert result.stdout == ""
    assert os.listdir() == []
    message = str(result.exception)
    assert "\n" not in message
    return message


def test_writes_what_the_library_generates():
    result = run("tower", "-o", "tower.parquet", "--steps", "50", "--seed", "3")
    trace = generate("tower", steps=50, seed=3)
    written = read_trace("tower.parquet")
    assert (written.fingerprint, written.metadata) == (trace.fingerprint, trace.metadata)
    assert result.stdout == (
        "tower.parquet: 100 rows in 50 steps of scenario tower, seed 3, fingerprint "
        f"{trace.fingerprint}\n"
    )


def test_default_steps_are_the_scenarios_own():
    run("ar1", "-o", "out.parquet")
    assert read_trace("out.parquet").metadata["steps"] == 3650


@pytest.mark.parametrize(
    "arguments",
    [
        ("zipf", "--rate-left", "2", "--correlation", "inverse"),
        ("zipf", "--rate_left=2", "--correlation=inverse"),
        ("--rate-left", "2", "--correlation=inverse", "zipf"),
        ("zipf", "-p", "rate_left=2", "--param", "correlation=inverse"),
        ("-p", "rate-left=2", "zipf", "--correlation", "inverse"),
    ],
)
def test_ways_to_give_parameters(arguments):
    parameters = made_by(*arguments)["parameters"]
    assert (parameters["rate_left"], parameters["correlation"]) == (2.0, "inverse")


@pytest.mark.parametrize(
    "arguments", [("--drift", "-0.5"), ("--drift=-.5",), ("-p", "drift=-5e-1")]
)
def test_negative_numbers(arguments):
    assert made_by("walk", *arguments)["parameters"]["drift"] == -0.5


def test_json():
    result = run("zipf", "-o", "z.parquet", "--steps", "30", "--seed", "2", "--skew", "2", "--json")
    report = json.loads(result.stdout)
    trace = generate("zipf", steps=30, seed=2, skew=2)
    assert report.pop("sjoin", "absent") != "absent"
    assert report == {
        "schema_version": 1,
        "path": "z.parquet",
        "rows": len(trace),
        "scenario": "zipf",
        "parameters": trace.metadata["parameters"],
        "steps": 30,
        "seed": 2,
        "fingerprint": trace.fingerprint,
    }


def test_quiet():
    assert run("walk", "-o", "w.parquet", "--steps", "5", "-q").stdout == ""
    assert os.listdir() == ["w.parquet"]


def test_list():
    table = run("--list").stdout
    for name, scenario in scenarios().items():
        assert f"{name} " in table
        assert scenario.summary in table
    assert max(map(len, table.splitlines())) <= 80
    report = json.loads(run("--list", "--json").stdout)
    assert [entry["scenario"] for entry in report["scenarios"]] == list(scenarios())


@pytest.mark.parametrize("name", scenarios())
def test_describe(name):
    text = run(name, "--describe").stdout
    assert text.startswith(scenarios()[name].explanation)
    report = json.loads(run(name, "--describe", "--json").stdout)
    assert report["steps"] == scenarios()[name].steps
    for entry in report["parameters"]:
        option = "--" + entry["name"].replace("_", "-")
        line = next(line for line in text.splitlines() if line.startswith(f"{option} "))
        assert line.split()[1] == str(entry["default"])
        assert entry["meaning"].split()[0] in line


def test_help_names_the_options_and_keeps_the_examples_apart():
    text = run("--help").stdout
    assert "--output" in text
    examples = [line for line in text.splitlines() if line.strip().startswith("sjoin gen")]
    assert len(examples) == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "no scenario is named: choose one of age, ar1, auction"),
        (("-o", "x.parquet"), "no scenario is named"),
        (("towr", "-o", "x.parquet"), "scenario 'towr' is unknown: choose one of age, ar1"),
        (("towr", "--describe"), "scenario 'towr' is unknown"),
        (("tower",), "no file to write is named: add -o tower.parquet"),
        (("tower", "roof", "-o", "x.parquet"), "'roof' follows scenario 'tower': name one"),
        (("tower", "-x5", "-o", "x.parquet"), "'-x5' follows scenario 'tower'"),
        (("tower", "--skew", "1", "-o", "x.parquet"), "no parameter 'skew': it has speed, lag"),
        (("tower", "-p", "steps=9", "-o", "x.parquet"), "no parameter 'steps': it has speed"),
        (("tower", "--lag", "-o", "x.parquet"), "--lag has no value: give it as --lag VALUE"),
        (("tower", "--lag", "--speed", "1", "-o", "x.parquet"), "--lag has no value"),
        (("tower", "-p", "lag", "-o", "x.parquet"), "'lag' has no value: give it as NAME=VALUE"),
        (("tower", "--lag", "1", "-p", "lag=2", "-o", "x.parquet"), "lag is given twice"),
        (("zipf", "--skew", "steep", "-o", "x.parquet"), "skew is 'steep': give a number"),
        (("zipf", "--domain", "0", "-o", "x.parquet"), "domain is '0': give a whole number"),
        (("age", "--curve", "flat", "-o", "x.parquet"), "give inc or dec or bell"),
        (("tower", "--steps", "0", "-o", "x.parquet"), "steps is 0: give a whole number"),
        (("tower", "-o", "nowhere/x.parquet"), "cannot write nowhere/x.parquet"),
        (("tower", "-o", "."), "it is a folder, name a file in it"),
    ],
)
def test_refusals(arguments, words):
    assert words in refusal(*arguments)
