"""`replay` with `model="auto"`: a model of the first rows, for policies that use one."""

import io
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from rich.console import Console

import streamjoin_core as sj
from streamjoin_core.report.table import report_table
from tests.small_traces import references

SCHEMA = Path(sj.__file__).parent / "report" / "schema.json"


@pytest.fixture(scope="module")
def tower():
    """Without the model that its metadata tell."""
    return replace(sj.generate("tower", steps=400, seed=1), metadata={})


def counts(report):
    return [(run.label, run.results) for run in report.runs]


def test_it_is_the_model_fitted_to_the_first_rows(tower):
    asked = {"policy": "heeb", "mem": 4}
    report = sj.replay(tower, model="auto", fit_prefix=0.3, **asked)
    model = sj.fit(tower, prefix=0.3).model
    assert counts(report) == counts(sj.replay(tower, model=model, **asked))
    assert report.runs[0].results > sj.replay(tower, **asked).runs[0].results
    told = report.options["model"]
    assert (told["source"], told["kinds"]) == ("fitted", {"R": "trend", "S": "trend"})
    used = {"prefix": 0.3, "rows": 240, "of": 800, "steps": 120, "criterion": "bic"}
    assert told["fitted_to"] == used
    jsonschema.validate(report.as_dict(), json.loads(SCHEMA.read_text()))


def test_the_usual_share_is_a_fifth(tower):
    report = sj.replay(tower, model="auto", policy="fifo", mem=1)
    assert report.options["model"]["fitted_to"]["rows"] == 160


def test_it_never_looks_ahead(tower):
    later = tower.key.copy()
    later[160:] = 0
    models = [
        sj.replay(trace, model="auto", policy="fifo", mem=1).options["model"]
        for trace in (tower, replace(tower, key=later))
    ]
    assert models[0] == models[1]


def test_it_goes_before_what_the_trace_tells(tower):
    told = {label: {"kind": "walk", "drift": 0, "sigma": 1} for label in "RS"}
    report = sj.replay(replace(tower, metadata={"model": told}), model="auto", policy="fifo", mem=1)
    assert report.options["model"]["kinds"] == {"R": "trend", "S": "trend"}


def test_caching():
    trace = replace(sj.generate("ar1", steps=500, seed=1), metadata={})
    report = sj.replay(trace, model="auto", policy="lru", mem=5, problem="caching")
    assert report.options["model"]["kinds"] == {"R": "ar1"}
    letters = references("abcabbabab" * 20)
    report = sj.replay(letters, model="auto", policy="a0", mem=1, problem="caching")
    assert report.options["model"]["kinds"] == {"R": "stationary"}


@pytest.mark.parametrize(("warmup", "told"), [(0, True), (80, False)])
def test_the_table_tells_it(tower, warmup, told):
    console = Console(width=200, file=io.StringIO())
    report = sj.replay(tower, model="auto", policy="fifo", mem=1, warmup=warmup)
    console.print(report_table(report))
    text = console.file.getvalue()
    assert "model (R trend, S trend) fitted to the first 160 of 800 rows" in text
    assert ("--warmup 80 would not count" in text) == told


def test_nothing_to_fit_to_in_an_empty_trace():
    empty = sj.trace_from_arrays([], [], [])
    assert sj.replay(empty, model="auto", policy="fifo", mem=1).options["model"] is None


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"fit_prefix": 0.2}, "--fit-prefix says what --model auto is fitted to: give both"),
        ({"fit_prefix": 0.2, "model": {"R": {"kind": "empirical"}}}, "--fit-prefix says"),
        ({"fit_prefix": 0, "model": "auto"}, "fit-prefix is 0: give a share above 0"),
        ({"fit_prefix": 1.5, "model": "auto"}, "fit-prefix is 1.5: give a share above 0"),
        ({"fit_prefix": 0.01, "model": "auto"}, "4 arrivals among the first 8 rows, too few"),
    ],
)
def test_refusals(tower, options, says):
    with pytest.raises(sj.InputError) as refusal:
        sj.replay(tower, policy="fifo", mem=1, **options)
    assert says in str(refusal.value)


def test_by_the_real_command(tower, tmp_path):
    from tests.cli.test_main import sjoin

    path = tmp_path / "tower.parquet"
    sj.write_trace(tower, path)
    asked = ("replay", path, "--policy", "fifo", "--mem", "2")
    told = sjoin(*asked, "--model", "auto", "--fit-prefix", "0.5", "--json")
    assert (told.returncode, told.stderr) == (0, "")
    assert json.loads(told.stdout)["options"]["model"]["fitted_to"]["rows"] == 400
    told = sjoin(*asked, "--fit-prefix", "0.5")
    assert (told.returncode, told.stdout) == (2, "")
