"""`sjoin fit`: options, what is printed and written, and what is refused."""

import json
import os

import pytest
import typer
from typer.testing import CliRunner

import streamjoin_core as sj
from cli.fit import fit
from streamjoin_core.errors import InputError
from tests.cli.test_main import sjoin
from tests.cli.test_opt_offline import MAGIC
from tests.small_traces import references

app = typer.Typer()
app.command()(fit)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where the commands run, with traces of both problems."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    sj.write_trace(sj.generate("tower", steps=300, seed=1), "tower.parquet")
    sj.write_trace(sj.generate("zipf", steps=300, seed=1), "zipf.parquet")
    sj.write_trace(sj.generate("ar1", steps=400), "ar1.parquet")
    sj.write_trace(references("abcab" * 6), "words.parquet")


def run(*arguments: str):
    return CliRunner().invoke(app, arguments, terminal_width=80)


def text(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines()), default=0) <= 80 or "{" in result.stdout
    return result.stdout


def refusal(*arguments: str) -> str:
    before = sorted(os.listdir())
    result = run(*arguments)
    assert isinstance(result.exception, InputError), result.output
    assert result.stdout == ""
    assert sorted(os.listdir()) == before
    return str(result.exception)


def test_by_the_real_command():
    first, second = (sjoin("fit", "tower.parquet", "-o", f"{n}.json", "--json") for n in "12")
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout == second.stdout
    with open("1.json") as file:
        model = json.load(file)
    assert json.loads(first.stdout)["model"] == model
    assert model["R"]["slope"] == 1
    told = sjoin("replay", "tower.parquet", "--policy", "fifo", "--mem", "2", "--model", "1.json")
    assert (told.returncode, told.stderr) == (0, "")
    told = sjoin("fit", "gone.parquet", "-o", "gone.json")
    assert (told.returncode, told.stdout) == (2, "")
    assert not os.path.exists("gone.json")


def test_json_is_the_librarys():
    arguments = ("tower.parquet", "--stream", "R", "--kind", "trend", "--prefix", "0.5")
    found = json.loads(text(*arguments, "--criterion", "aic", "--json"))
    options = {"stream": "R", "kind": "trend", "prefix": 0.5, "criterion": "aic"}
    assert found == sj.fit("tower.parquet", **options).as_dict()
    assert (found["rows_used"], found["steps_used"]) == (300, 150)
    assert found["options"] == {"problem": "joining", **options}
    candidates = found["streams"]["R"]["candidates"]
    assert [one["is_chosen"] for one in candidates] == [True, False, False]
    assert candidates == sorted(candidates, key=lambda one: one["aic"])


def test_text_tells_all_candidates():
    told = text("tower.parquet", "--prefix", "0.8")
    assert "tower.parquet: fitted to the first 480 of 600 rows; * has the smallest BIC" in told
    lines = told.splitlines()
    assert sum(line.startswith("* trend") for line in lines) == 2
    for kind in ("walk", "ar1", "stationary"):
        assert sum(line.startswith(f"  {kind}") for line in lines) == 2
    assert "Kolmogorov-Smirnov p =" in told


def test_text_tells_what_was_done():
    assert "that are later than the one before" in text("zipf.parquet")
    assert "taken for normal ones" in " ".join(text("zipf.parquet").split())
    assert "each as one unit of time" in text("ar1.parquet", "--problem", "caching")
    told = " ".join(text("words.parquet", "--problem", "caching").split())
    assert "Not fitted, ar1: its keys are not whole numbers: give --kind stationary" in told


@pytest.mark.parametrize("suffix", MAGIC)
def test_pictures(suffix):
    for name in ("tower", "ar1"):
        arguments = (f"{name}.parquet", "--plot", f"{name}.{suffix}", "-o", "m.json", "--quiet")
        assert text(*arguments, *(["--problem", "caching"] if name == "ar1" else [])) == ""
        with open(f"{name}.{suffix}", "rb") as file:
            assert file.read().startswith(MAGIC[suffix])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("nowhere.parquet", "cannot read nowhere.parquet"),
        # Options are looked at before the file.
        ("nowhere.parquet --kind line", "kind 'line' is unknown: choose auto or"),
        ("nowhere.parquet --prefix 2", "prefix is '2': give a share above 0 and up to 1"),
        ("nowhere.parquet --criterion r2", "criterion 'r2' is unknown: choose aic or bic"),
        ("nowhere.parquet -o model.txt", "give it the suffix .json"),
        ("nowhere.parquet --plot r.bmp", "give it the suffix .png or .svg or .pdf"),
        ("tower.parquet --stream Q", "the streams of tower.parquet are 'R' and 'S'"),
        ("words.parquet --problem caching --kind walk", "keys are not whole numbers"),
        ("tower.parquet --prefix 0.01 -o m.json", "too few to fit a model"),
    ],
)
def test_refusals(arguments, words):
    assert words in refusal(*arguments.split())
