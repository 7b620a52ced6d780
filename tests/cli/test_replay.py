"""`sjoin replay` and `sjoin reduce`: the real command for the essentials, a runner for the rest."""

import csv
import json
import os
import sys

import numba
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from typer.testing import CliRunner

import streamjoin_core as sj
from cli.compiling import noting_compilation
from cli.reduce import reduce
from cli.replay import replay
from cli.replay import replay as command
from streamjoin_core.errors import InputError
from streamjoin_core.progress import silent
from tests.cli.test_main import sjoin
from tests.small_traces import SMALL, STATIONARY, references, trace

replay_app, reduce_app = typer.Typer(), typer.Typer()
replay_app.command()(replay)
reduce_app.command()(reduce)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with a small joining and a small caching trace, where the commands run."""
    monkeypatch.chdir(tmp_path)
    sj.write_trace(SMALL, "small.parquet")
    sj.write_trace(references("abcabb"), "cache.parquet")
    return tmp_path


def run(*arguments: str, app=replay_app):
    return CliRunner().invoke(app, [*map(str, arguments)], terminal_width=80)


def report_of(*arguments: str) -> dict:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def refusal(*arguments: str, app=replay_app) -> str:
    before = sorted(os.listdir())
    result = run(*arguments, app=app)
    assert isinstance(result.exception, InputError), result.output
    assert result.stdout == ""
    assert sorted(os.listdir()) == before
    assert "\n" not in str(result.exception)
    return str(result.exception)


def test_table_by_the_real_command():
    told = sjoin("replay", "small.parquet", "--policy", "exact,fifo", "--mem", "2")
    assert (told.returncode, told.stderr) == (0, "")
    assert "small.parquet: 6 rows; exact join 5 results" in told.stdout
    assert "fifo " in told.stdout


def test_json_by_the_real_command_is_the_same_twice_and_the_librarys():
    arguments = ["replay", "small.parquet", "--policy", "rand,fifo", "--mem", "1:2", "--seeds", "3"]
    first, second = (sjoin(*arguments, "--json") for _ in range(2))
    assert (first.returncode, first.stderr) == (0, "")
    assert (second.returncode, second.stderr, second.stdout) == (0, "", first.stdout)
    report = sj.replay("small.parquet", policy="rand,fifo", mem="1:2", seeds=3)
    assert json.loads(first.stdout) == report.as_dict()


def test_bad_input_by_the_real_command(folder):
    told = sjoin("replay", "gone.parquet", "--policy", "fifo", "--mem", "2", "-o", "out.csv")
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr == "sjoin: cannot read gone.parquet: No such file or directory\n"
    assert not (folder / "out.csv").exists()


def test_every_option_reaches_the_replay():
    sj.write_trace(
        sj.trace_from_arrays([1, 2, 3], [1, 2, 3], ["R", "S", "S"], importance=[1, 2, 3]),
        "numbers.parquet",
    )
    with open("model.json", "w") as file:
        json.dump({"R": {"kind": "empirical"}}, file)
    report = report_of(
        *("numbers.parquet", "--policy", "fifo", "--policy", "jtl:n=2", "--mem", "5"),
        *("--window", "10:20", "--window-kind", "tuples", "--split", "3:7"),
        *("--order", "evict-first", "--band", "-1:1", "--combine", "max", "--warmup", "1"),
        *("--seed", "4", "--seeds", "2", "--model", "model.json", "--count-same-step"),
    )
    model = report["options"].pop("model")
    assert (model["source"], model["kinds"]) == ("user", {"R": "empirical"})
    assert report["options"] == {
        "problem": "joining",
        "policy": ["fifo", "jtl:n=2"],
        "mem": [5],
        "window": [10, 20],
        "window_kind": "tuples",
        "time_unit": None,
        "split": "3:7",
        "order": "evict-first",
        "on": "=",
        "band": [-1, 1],
        "combine": "max",
        "importance": None,
        "count_same_step": True,
        "warmup": 1,
        "seed": 4,
        "seeds": 2,
        "opt": False,
        "objective": "results",
        "fairness": False,
        "dominance": False,
    }
    assert report_of("numbers.parquet", "--policy", "exact", "--on", "<")["runs"][0]["exact"] == 2


def test_columns_order_and_missing_keys():
    columns = {"ts": [2, 1, 3], "topic": ["S", "R", "S"], "user": ["a", "a", None]}
    pq.write_table(pa.table(columns | {"w": [3.0, 2.0, 1.0], "tenant": ["x", "y", "x"]}), "other")
    mapped = ["--time-col", "ts", "--stream-col", "topic", "--key-col", "user"]
    mapped += ["--importance-col", "w", "--group-by", "tenant", "--sort", "--null-keys", "drop"]
    (run,) = report_of("other", "--policy", "fifo", "--mem", "1", *mapped)["runs"]
    assert (run["results"], run["importance"], run["worst_group"]) == (1, 2.0, "x")
    assert [entry["group"] for entry in run["groups"]] == ["x", "y"]


def test_two_files():
    pq.write_table(pa.table({"time": [1], "key": ["a"]}), "left.parquet")
    pq.write_table(pa.table({"time": [2], "key": ["a"]}), "right.parquet")
    sides = ["--left", "left.parquet", "--right", "right.parquet"]
    report = report_of(*sides, "--policy", "ttl:left=1")
    assert (report["runs"][0]["results"], report["runs"][0]["mem"]) == (1, None)
    assert report["trace"]["path"] == "left.parquet + right.parquet"


def test_caching():
    arguments = ["cache.parquet", "--problem", "caching", "--policy", "lru,lfd", "--mem", "2"]
    assert [entry["hits"] for entry in report_of(*arguments)["runs"]] == [1, 3]
    assert "hit ratio" in run(*arguments).stdout


@pytest.mark.parametrize("suffix", ["json", "csv", "parquet"])
def test_output(suffix):
    arguments = ["small.parquet", "--policy", "fifo,exact", "--mem", "2", "-o", f"out.{suffix}"]
    assert "fifo " in run(*arguments).stdout
    assert run(*arguments, "--quiet").stdout == ""
    report = report_of(*arguments)
    if suffix == "json":
        with open("out.json") as file:
            assert json.load(file) == report
    elif suffix == "csv":
        with open("out.csv", newline="") as file:
            labels = [row["label"] for row in csv.DictReader(file)]
            assert labels == ["fifo", "exact"]
    else:
        assert pq.read_table("out.parquet")["results"].to_pylist() == [
            entry["results"] for entry in report["runs"]
        ]


def test_quiet_still_shows_the_table_that_nothing_else_would_show():
    assert "fifo " in run("small.parquet", "--policy", "fifo", "--mem", "1", "--quiet").stdout


def test_help_keeps_the_examples_apart():
    text = sjoin("replay", "--help").stdout
    examples = [line for line in text.splitlines() if line.strip().startswith("sjoin replay")]
    assert len(examples) == command.__doc__.count("sjoin replay")
    for option in ("--policy", "--mem", "--window", "--split", "--order", "--on", "--band"):
        assert option in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("small.parquet --policy fifo", "policy 'fifo' needs a memory: give --mem"),
        ("small.parquet --policy fifo --mem 0", "memory 0 is too small"),
        ("small.parquet --policy fifo --mem 2 -o x.txt", "its suffix names no format"),
        ("small.parquet --policy fifo --mem 2 -o no/x.csv", "there is no such folder"),
        ("small.parquet --policy best --mem 2 -o x.csv", "there is no policy 'best'"),
        ("small.parquet --policy fifo --mem 2 --window 1h -o x.csv", "'1h' is no length of time"),
        ("small.parquet --policy fifo --mem 2 --band 0:1 -o x.json", "a band needs keys that are"),
        ("small.parquet --policy fifo --mem 2 --group-by who", "has no column 'who' for the group"),
        ("small.parquet --policy lru --mem 2 --problem caching", "caching has one stream"),
        ("--policy fifo --mem 2", "name either one trace, or both a left and a right one"),
        ("small.parquet --left small.parquet --policy fifo --mem 2", "name either one trace"),
        ("small.parquet --policy fifo --mem 2 --null-keys keep", "null keys 'keep' is unknown"),
        ("small.parquet --policy fifo --mem 2 --model gone.json", "cannot read model gone.json"),
        ("cache.parquet --policy lru --mem 2 --problem caching --on <", "caching has no --on"),
        ("cache.parquet --policy a0 --mem 2 --problem caching", "needs a model of the stream"),
    ],
)
def test_refusals(arguments, words):
    assert words in refusal(*arguments.split())


def test_reduce():
    result = run("cache.parquet", "-o", "joining.parquet", app=reduce_app)
    assert result.stdout == "joining.parquet: 12 rows for 6 references\n"
    told = sjoin("reduce", "cache.parquet", "-o", "joining.parquet", "--json")
    account = json.loads(told.stdout)
    assert account["fingerprint"] == sj.read_trace("joining.parquet").fingerprint
    hits = report_of("cache.parquet", "--problem", "caching", "--policy", "fifo", "--mem", "9")
    exact = report_of("joining.parquet", "--policy", "exact")
    assert hits["runs"][0]["hits"] == exact["runs"][0]["results"] == 3


def test_reduce_takes_one_stream():
    words = refusal("small.parquet", "-o", "joining.parquet", app=reduce_app)
    assert "caching has one stream" in words
    assert "cannot read gone" in refusal("gone", "-o", "joining.parquet", app=reduce_app)


def test_model_of_a_trace_is_told():
    told = {"R": STATIONARY, "S": STATIONARY}
    sj.write_trace(trace("1Ra 1Rb 2Sb", metadata={"model": told}), "told.parquet")
    report = report_of("told.parquet", "--policy", "prob", "--mem", "1")
    assert report["options"]["model"]["source"] == "trace"
    assert report["runs"][0]["results"] == 0


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("replaying fifo", "sjoin: compiling policy fifo for this machine, once\n"),
        ("reading", "sjoin: compiling the engine for this machine, once\n"),
    ],
)
def test_compilation_is_told_once_to_who_watches(monkeypatch, capsys, what, told):
    def compile_something():
        numba.njit(lambda number: number + 1)(1)

    with noting_compilation(silent) as progress:
        compile_something()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with noting_compilation(silent, quiet=True):
        compile_something()
    with noting_compilation(silent) as progress:
        progress(what, 0, 1)
        compile_something()
        compile_something()
    compile_something()
    assert capsys.readouterr().err == told


def test_dominance_is_counted_on_request():
    sj.write_trace(sj.generate("tower", steps=50, seed=1), "tower.parquet")
    arguments = ("tower.parquet", "--policy", "heeb,rand", "--mem", "3")
    plain, counted = report_of(*arguments), report_of(*arguments, "--dominance")
    assert all(run["decisions"] is None for run in plain["runs"])
    heeb, rand = counted["runs"]
    assert heeb["optimal_decisions"] == heeb["decidable_decisions"] > rand["optimal_decisions"]
    told = sjoin("replay", *arguments, "--dominance")
    assert "decisions decidable provably optimal" in told.stdout
