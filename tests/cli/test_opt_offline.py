"""`sjoin opt-offline` and `sjoin lfd`: the real command for essentials, a runner for the rest."""

import json
import os

import pyarrow.parquet as pq
import pytest
import typer
from typer.testing import CliRunner

import streamjoin_core as sj
from cli.lfd import lfd
from cli.opt_offline import opt_offline
from streamjoin_core.errors import CheckError, InputError, SjoinError
from streamjoin_core.optimal.certificate import Certificate
from streamjoin_core.report.chart import Chart, Line
from streamjoin_core.report.plot import plot_chart
from tests.cli.test_main import sjoin
from tests.small_traces import SMALL, references

app, lfd_app = typer.Typer(), typer.Typer()
app.command()(opt_offline)
lfd_app.command()(lfd)
MAGIC = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with a small joining and a small caching trace, where the commands run."""
    monkeypatch.chdir(tmp_path)
    sj.write_trace(SMALL, "small.parquet")
    sj.write_trace(references("abcabb"), "cache.parquet")
    return tmp_path


def run(*arguments: str, app=app):
    return CliRunner().invoke(app, [*map(str, arguments)], terminal_width=80)


def report_of(*arguments: str) -> dict:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def refusal(*arguments: str) -> str:
    before = sorted(os.listdir())
    result = run(*arguments)
    assert isinstance(result.exception, InputError), result.output
    assert result.stdout == ""
    assert sorted(os.listdir()) == before
    assert "\n" not in str(result.exception)
    return str(result.exception)


def test_by_the_real_command():
    told = sjoin("opt-offline", "small.parquet", "--mem", "1:3", "--certify")
    assert (told.returncode, told.stderr) == (0, "")
    assert "small.parquet: 6 rows; exact join 5 results" in told.stdout
    assert "memory 3: primal 5, dual 5: equal, so nobody can do better" in told.stdout
    first, second = (sjoin("opt-offline", "small.parquet", "--mem", "1", "--json") for _ in "12")
    assert first.stdout == second.stdout
    assert json.loads(first.stdout)["runs"][0]["results"] == 3


def test_bad_input_by_the_real_command(folder):
    told = sjoin(
        "opt-offline", "gone.parquet", "--mem", "2", "-o", "o.csv", "--schedule", "s.parquet"
    )
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr == "sjoin: cannot read gone.parquet: No such file or directory\n"
    assert sorted(os.listdir()) == ["cache.parquet", "small.parquet"]
    told = sjoin("opt-offline", "small.parquet")
    assert (told.returncode, told.stdout) == (2, "")
    assert "--mem" in told.stderr


def test_every_option_reaches_the_solver():
    numbers = sj.trace_from_arrays([1, 2, 3], [1, 2, 3], ["R", "S", "S"], importance=[1, 2, 3])
    sj.write_trace(numbers, "numbers.parquet")
    report = report_of(
        *("numbers.parquet", "--mem", "5", "--window", "10:20", "--window-kind", "tuples"),
        *("--split", "3:7", "--band", "-1:1", "--combine", "max", "--warmup", "1"),
        *("--count-same-step", "--objective", "importance", "--graph", "match"),
        *("--time-limit", "1m", "--max-memory", "1GB", "--certify"),
    )
    assert report["options"] == {
        "problem": "joining",
        "policy": ["opt:objective=importance"],
        "mem": [5],
        "window": [10, 20],
        "window_kind": "tuples",
        "time_unit": None,
        "split": "3:7",
        "order": "probe-first",
        "on": "=",
        "band": [-1, 1],
        "combine": "max",
        "importance": None,
        "count_same_step": True,
        "warmup": 1,
        "seed": 0,
        "seeds": 1,
        "model": None,
        "objective": "importance",
        "graph": "match",
        "solver": "sjoin",
        "bound": False,
        "time_limit": 60.0,
    }
    assert report["certificate"] == {"mem": 5, "primal": 2.0, "dual": 2.0, "holds": True}
    assert report_of("numbers.parquet", "--mem", 1, "--on", "<")["runs"][0]["graph"] == "match"


def test_files():
    told = run(
        *("small.parquet", "--mem", "1:3", "--schedule", "s.parquet", "--prices", "p.parquet"),
        *("--plot-prices", "p.svg", "--plot", "c.png", "--output", "report.json", "--quiet"),
    )
    assert (told.exit_code, told.output) == (0, "")
    schedule = pq.read_table("s.parquet")
    assert sum(schedule["results"].to_pylist()) == 5
    assert pq.read_table("p.parquet").column_names == ["step", "time", "price"]
    with open("report.json") as file:
        assert [entry["results"] for entry in json.load(file)["runs"]] == [3, 4, 5]
    for name in ("c.png", "p.svg"):
        with open(name, "rb") as file:
            assert file.read().startswith(MAGIC[name[-3:]])
    assert not [name for name in os.listdir() if name.startswith(".")]


@pytest.mark.parametrize("suffix", MAGIC)
def test_plots_of_bounds_and_of_parts(suffix):
    told = run(*("small.parquet", "--mem", "1:30", "--bound", "--plot", f"c.{suffix}"))
    assert told.exit_code == 0, told.output
    told = run(*("small.parquet", "--mem", "2", "--split", "even", "--plot-prices", f"p.{suffix}"))
    assert told.exit_code == 0, told.output
    for name in (f"c.{suffix}", f"p.{suffix}"):
        with open(name, "rb") as file:
            assert file.read().startswith(MAGIC[suffix])


def test_plots_of_nothing():
    sj.write_trace(sj.trace_from_arrays([1], ["a"], ["R"]), "lonely.parquet")
    told = run("lonely.parquet", "--mem", "1", "--plot", "c.png", "--plot-prices", "p.png")
    assert told.exit_code == 0, told.output


def test_a_plot_that_fails_leaves_nothing():
    with pytest.raises(ValueError, match="shape"):
        plot_chart(Chart("", "x", "y", (Line("uneven", (1, 2), (0.5,)),)), "c.png")
    assert sorted(os.listdir()) == ["cache.parquet", "small.parquet"]


def test_dry_run_solves_nothing(monkeypatch):
    def refuse(*arguments, **options):
        raise AssertionError("nothing is to be solved")

    monkeypatch.setattr("streamjoin_core.optimise.solve", refuse)
    told = run("small.parquet", "--mem", "1:3", "--dry-run")
    assert told.exit_code == 0, told.output
    assert "key graph, one solve for all 3 memories" in told.stdout
    assert "estimate" in told.stdout
    result = json.loads(run("small.parquet", "--mem", 1, "--dry-run", "--json").stdout)
    assert result["estimate"]["graph"] == "key"


@pytest.mark.parametrize("arguments", [[], ["--on", "<"], ["--split", "even"], ["--window", 1]])
def test_dry_run_is_right_about_sizes(arguments):
    dry = json.loads(run("small.parquet", "--mem", 2, *arguments, "--dry-run", "--json").stdout)
    found = report_of("small.parquet", "--mem", 2, *arguments)["runs"][0]
    for size in ("nodes", "arcs"):
        if found["graph"] == "match":
            assert dry["estimate"][size] == found[size]
        else:
            assert found[size] <= dry["estimate"][size] <= 3 * found[size]


def test_max_memory_refuses():
    told = refusal("small.parquet", "--mem", 2, "--max-memory", "10B", "--output", "o.csv")
    assert "more than the 10 B allowed: raise --max-memory" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--order", "evict-first"], "no flow problem"),
        (["--schedule", "s.csv"], "cannot write s.csv: give it the suffix .parquet"),
        (["--prices", "gone/p.parquet"], "there is no such folder"),
        (["--plot", "c.gif"], "give it the suffix .png or .svg or .pdf"),
        (["--plot-prices", "p"], "give it the suffix"),
        (["--output", "o.txt"], "its suffix names no format"),
        (["--certify", "--solver", "ortools"], "come from our own exact solver"),
        (["--schedule", "s.parquet", "--bound"], "come from our own exact solver"),
        (["--time-limit", "5"], "length of time"),
        (["--left", "small.parquet"], "name either one trace"),
    ],
    ids=str,
)
def test_refusals(arguments, message):
    assert message in refusal("small.parquet", "--mem", 2, *arguments)


def test_bounds_and_what_is_said_of_them():
    told = run("small.parquet", "--mem", "2", "--time-limit", "1ns")
    assert told.exit_code == 0
    assert "bound: the optimum is somewhere from lower to upper" in told.stdout
    told = run("small.parquet", "--mem", "2", "--time-limit", "1ns", "--certify")
    assert isinstance(told.exception, CheckError)
    assert "the solve was stopped" in str(told.exception)
    assert "no proof" in told.stdout


def test_a_proof_that_fails_is_an_internal_failure(monkeypatch):
    monkeypatch.setattr(Certificate, "holds", False)
    told = run("small.parquet", "--mem", "2", "--certify")
    assert type(told.exception) is SjoinError
    assert told.exception.exit_code == 3


@pytest.mark.parametrize("solver", ["ortools", "networkx"])
def test_other_solvers(solver):
    report = report_of("small.parquet", "--mem", "1:3", "--solver", solver)
    assert [entry["results"] for entry in report["runs"]] == [3, 4, 5]
    assert report["options"]["solver"] == solver


def test_lfd_is_the_replay_of_lfd():
    told = run("cache.parquet", "--mem", "1:2", "--warmup", "1", "--json", app=lfd_app)
    assert told.exit_code == 0, told.output
    expected = sj.replay("cache.parquet", policy="lfd", mem="1:2", warmup=1, problem="caching")
    assert json.loads(told.stdout) == expected.as_dict()
    told = sjoin("lfd", "cache.parquet", "--mem", "2")
    assert (told.returncode, told.stderr) == (0, "")
    assert "lfd" in told.stdout


def test_lfd_is_the_optimum_of_the_reduced_trace():
    reduced = sj.reduce_caching(sj.read_trace("cache.parquet", problem="caching"))
    sj.write_trace(reduced, "joining.parquet")
    best = report_of("joining.parquet", "--mem", "1:3")["runs"]
    hits = sj.replay("cache.parquet", policy="lfd", mem="1:3", problem="caching").runs
    assert [entry["results"] for entry in best] == [entry.hits for entry in hits]
