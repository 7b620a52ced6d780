"""`sjoin sweep`, `check`, `plan`, `compare`, `explain`, `report` and `version` as commands."""

import json
import os
from importlib import metadata, resources

import jsonschema
import pytest
import typer
from typer.testing import CliRunner

import streamjoin_core as sj
from cli import main
from streamjoin_core.errors import CheckError, InputError
from tests.cli.test_main import sjoin
from tests.small_traces import SMALL, references

TOWER = sj.generate("tower", steps=200, seed=1)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sj.write_trace(SMALL, "small.parquet")
    sj.write_trace(TOWER, "tower.parquet")
    sj.write_trace(references("abcabb"), "cache.parquet")
    return tmp_path


def run(command: str, code: int = 0) -> str:
    """Run a command within this process, in a terminal of 80 columns; returns its stdout."""
    result = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1"}).invoke(main.app, command.split())
    if code == 0:
        assert result.exit_code == 0, (result.output, result.exception)
        if "--json" not in command:
            assert max(map(len, result.stdout.splitlines()), default=0) <= 80
        assert "\x1b" not in result.stdout
    else:
        assert result.exception.exit_code == code, result.exception
    return result.stdout


def refusal(command: str) -> str:
    before = sorted(os.listdir())
    result = CliRunner().invoke(main.app, command.split())
    assert isinstance(result.exception, InputError), result.output
    assert (result.stdout, sorted(os.listdir())) == ("", before)
    return str(result.exception)


SWEEP = "sweep tower.parquet --window 10:15 --policies fifo,rand,opt --mem 1:30 --seeds 3"


def test_sweep_table_and_drawing():
    told = run(f"{SWEEP} --plot - --jobs 1 --warmup 5")
    assert "recall by memory" in told
    assert "20 of 30 memories" in told
    assert "o fifo  x rand  # opt".replace("#", "+") in told
    rows = [line.split() for line in told.splitlines() if line.strip()[:2] == "30"]
    assert rows[0][:2] == ["30", "1.0000"]


def test_sweep_json_follows_the_schema():
    report = json.loads(run(f"{SWEEP} --json"))
    schema = json.loads(
        resources.files("streamjoin_core.report").joinpath("schema.json").read_text()
    )
    jsonschema.validate(report, schema)
    assert len(report["runs"]) == 30 + 90 + 30


def test_sweep_writes_picture_and_file():
    assert run(f"{SWEEP} -q -o sweep.csv --plot curves.svg --measure ratio_to_opt") == ""
    assert sorted(os.listdir())[1:3] == ["curves.svg", "small.parquet"]
    with open("sweep.csv") as file:
        assert len(file.readlines()) == 151


def test_sweep_refusals():
    assert "leave out --json or --plot -" in refusal(f"{SWEEP} --json --plot -")
    assert "suffix" in refusal(f"{SWEEP} --plot curves.doc")
    assert "measure 'speed' is unknown" in refusal(f"{SWEEP} --measure speed")
    assert "measure 'recall' is unknown" in refusal(
        "sweep cache.parquet --problem caching --policies lru --mem 2 --measure recall"
    )


def test_caching_sweep():
    told = run("sweep cache.parquet --problem caching --policies lru,lfd --mem 1:3")
    assert "hit ratio by memory" in told


def test_check_says_what_does_not_hold():
    command = "check small.parquet --policy fifo --mem 1,2 --min-recall 0.5"
    told = run(f"{command} --format github --junit out.xml", code=CheckError.exit_code)
    assert "1 of 2 do not hold." in told
    assert told.splitlines()[-1].startswith("::error file=small.parquet")
    assert os.path.exists("out.xml")
    assert not json.loads(run(f"{command} --json", code=1))["holds"]
    assert run(f"{command} --quiet", code=1) == ""
    ended = sjoin(*command.split())
    assert (ended.returncode, ended.stderr) == (1, "sjoin: 1 of 2 do not hold\n")


def test_check_against_a_baseline():
    run("check small.parquet --policy fifo --mem 2 --baseline base.json --update-baseline")
    assert "All 1 bounds hold." in run("check --baseline base.json")
    assert "no policy is named" in refusal("check small.parquet --baseline base.json")
    assert "nothing to check" in refusal("check small.parquet --policy fifo --mem 2")
    assert "format 'xml' is unknown" in refusal("check --baseline base.json --format xml")


def test_plan():
    target = "plan tower.parquet --policy fifo,prob --window 10:15 --jobs 1"
    told = run(f"{target} --target recall=0.9")
    assert "Memory for a recall of at least 0.9" in told
    assert [one["label"] for one in json.loads(run(f"{target} --mem 4 --json"))["offers"]] == [
        "opt",
        "fifo",
        "prob",
    ]
    told = run(f"{target} --ttl 3:5")
    assert "peak state" in told
    assert "With the peak as memory" in told
    assert "one question at a time" in refusal(target)
    assert "one question at a time" in refusal(f"{target} --mem 3 --ttl 4")
    assert "caching has no --ttl" in refusal("plan cache.parquet --problem caching --ttl 4")


def test_explain():
    command = "explain tower.parquet --policy prob --mem 5 --window 10:15"
    told = run(f"{command} --plot - --ledger lost.parquet")
    for heading in ("By cause", "By stream", "Keys with", "Over time", "The worst decisions"):
        assert heading in told
    assert os.path.exists("lost.parquet")
    found = json.loads(run(f"{command} --json --top 3"))
    assert (len(found["worst"]), found["label"]) == (3, "prob")
    assert "Nothing was lost." in run("explain small.parquet --policy fifo --mem 9")
    assert "suffix .parquet" in refusal(f"{command} --ledger lost.csv")


def test_compare():
    for name, window in (("a", "10"), ("b", "5")):
        asked = f"--policy rand,fifo --mem 4 --seeds 4 --window {window} -o {name}.json -q"
        run(f"replay tower.parquet {asked}")
    told = run("compare a.json b.json")
    assert "window: [10, 10] in a, [5, 5] in b" in told
    assert json.loads(run("compare a.json b.json --json"))["same_trace"]
    assert len(run("compare a.json a.json -q")) < len(run("compare a.json a.json"))


def test_report_is_one_page():
    command = "report tower.parquet --policy fifo,prob --mem 4 --window 10:15 --jobs 1 -o page.html"
    assert run(command).startswith("page.html: ")
    assert os.path.getsize("page.html") > 20_000
    assert "one memory is looked into" in refusal(command.replace("--mem 4", "--mem 4,5"))
    assert "suffix .html" in refusal(command.replace("page.html", "page.pdf"))
    assert "only the optimum is named" in refusal(command.replace("fifo,prob", "opt"))


def test_version():
    assert run("version").startswith(f"sjoin {metadata.version('sjoin')}\n")
    assert run("version -q") == f"{metadata.version('sjoin')}\n"
    assert json.loads(run("version --json"))["versions"]["numba"] == metadata.version("numba")


@pytest.mark.parametrize("name", main.COMMANDS)
def test_every_command_has_json_quiet_and_examples(name):
    told = CliRunner().invoke(main.app, [name, "--help"]).stdout
    assert "--json" in told
    assert "--quiet" in told
    assert f"\n  sjoin {name}" in told


def test_names_complete_themselves():
    def completed(words: str) -> list[str]:
        place = str(len(words.split(" ")) - 1)
        asked = {"_SJOIN_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": place}
        return sjoin(env=os.environ | asked).stdout.split()

    assert completed("sjoin sw") == ["sweep"]
    assert completed("sjoin sweep --res") == ["--resume"]
    assert completed("sjoin replay --policy fifo,li") == ["fifo,life"]


def test_commands_are_built_one_by_one():
    assert isinstance(main._build("sweep"), typer.core.TyperCommand)
