"""`sjoin shed` and `sjoin calibrate`: the real command for essentials, a runner for the rest."""

import json
import os

import pytest
import typer
from typer.testing import CliRunner

import streamjoin_core as sj
from cli.calibrate import calibrate
from cli.shed import shed
from streamjoin_core.errors import InputError
from streamjoin_core.shedding.calibration import fit_costs
from streamjoin_core.shedding.registry import strategy_names
from tests.cli.test_main import sjoin
from tests.small_traces import SMALL

app, calibrate_app = typer.Typer(), typer.Typer()
app.command()(shed)
calibrate_app.command()(calibrate)
ASKED = ("small.parquet", "--budget", "0.5", "--strategy", "none,pni", "--costs", "1:1")
WHOLE = (*ASKED, "--window", "5", "--fit-prefix", "0.5")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with a small trace, where the commands run."""
    monkeypatch.chdir(tmp_path)
    sj.write_trace(SMALL, "small.parquet")
    return tmp_path


def run(*arguments: str, app=app):
    return CliRunner().invoke(app, [*map(str, arguments)], terminal_width=80)


def refusal(*arguments: str) -> str:
    before = sorted(os.listdir())
    result = run(*arguments)
    assert isinstance(result.exception, InputError), result.output
    assert result.stdout == ""
    assert sorted(os.listdir()) == before
    assert "\n" not in str(result.exception)
    return str(result.exception)


def test_table_by_the_real_command():
    told = sjoin("shed", *WHOLE)
    assert (told.returncode, told.stderr) == (0, "")
    assert "learnt from the first 3 rows" in " ".join(told.stdout.split())
    assert max(map(len, told.stdout.splitlines())) <= 80


def test_bad_input_by_the_real_command():
    told = sjoin("shed", *WHOLE, "--budget", "0")
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.startswith("sjoin: budget '0' is not above 0: give a share")


def test_json_equals_the_librarys_report():
    result = run(*WHOLE, "--json")
    report = sj.shed(
        "small.parquet",
        budget="0.5",
        strategy="none,pni",
        costs="1:1",
        window=5,
        fit_prefix=0.5,
    )
    assert json.loads(result.stdout) == report.as_dict()


def test_list_names_all_strategies():
    listed = json.loads(run("--list", "--json").stdout)["strategies"]
    assert [entry["name"] for entry in listed] == list(strategy_names())
    for name in strategy_names():
        assert name in run("--list").stdout


def test_both_limits_are_shown_and_drawn():
    told = run(*WHOLE, "--mem", "1", "--plot", "limits.png", "--output", "report.csv")
    assert told.exit_code == 0, told.output
    assert "Which limit cost more results over time" in told.stdout
    with open("limits.png", "rb") as file:
        assert file.read(4) == b"\x89PNG"
    told = run(*WHOLE, "--budget", "0.5,1,9/1", "--plot", "budgets.svg", "--quiet")
    assert (told.exit_code, told.stdout) == (0, "")
    assert os.path.getsize("budgets.svg") > 1000


@pytest.mark.parametrize(
    ("arguments", "way_out"),
    [
        (("--budget", "-1"), "give a share of the full join's cost such as 0.4"),
        (("--budget", "nan"), "give a share"),
        (("--budget", "much"), "give a share"),
        (("--budget", "5/0"), "give a share"),
        (("--budget", "5/2s"), "give a plain number"),
        (("--budget", "0.0001/1"), "give a larger --budget or --burst"),
        (("--costs", "1"), "give --costs C_U:C_P"),
        (("--costs", "1:-1"), "give --costs C_U:C_P"),
        (("--costs", "0:0"), "give one of them above 0"),
        (("--costs", "a:b"), "give --costs C_U:C_P"),
        (("--costs", "missing.json"), "give --costs C_U:C_P"),
        (("--strategy", "best"), "choose among cf, greedy-max-subset"),
        (("--strategy", "pni:by=tuple"), "give stream or key"),
        (("--on", "<"), "leave --on and --band out"),
        (("--band", "0:1"), "leave --on and --band out"),
        (("--order", "evict-first"), "leave --order out"),
        (("--fit-prefix", "0"), "give a share above 0"),
        (("--mem", "2", "--policy", "exact"), "give --policy another one"),
        (("--mem", "2", "--policy", "opt"), "give --policy another one"),
        (("--mem", "2", "--policy", "fifo,prob"), "give --policy once"),
        (("--mem", "2", "--policy", "jtl", "--strategy", "uniform"), "take another --policy"),
        (("--mem", "2", "--policy", "ijoin", "--strategy", "uniform"), "take another --policy"),
        (("--plot", "picture.txt"), "give it the suffix"),
        (("--output", "report.txt"), "choose one of"),
    ],
)
def test_refusals(arguments, way_out):
    assert way_out in refusal(*WHOLE, *arguments)


def test_what_is_missing():
    assert "give --window" in refusal(*ASKED)
    assert "give --costs" in refusal("small.parquet", "--budget", "1", "--strategy", "pni")
    assert "no budget" in refusal("small.parquet", "--strategy", "pni", "--costs", "1:1")
    assert "give --strategy" in refusal("small.parquet", "--budget", "1", "--costs", "1:1")


def test_a_file_with_bad_costs_is_named():
    with open("costs.json", "w") as file:
        json.dump({"update": "much", "production": 1}, file)
    assert refusal(*WHOLE, "--costs", "costs.json").startswith("costs 'costs.json' are not two")


def test_frequencies_that_do_not_sum_to_1():
    entry = {"kind": "stationary", "pmf": {"a": 0.5, "b": 0.25}}
    with open("model.json", "w") as file:
        json.dump({"R": entry, "S": entry}, file)
    told = run(*WHOLE, "--model", "model.json").exception
    assert "sum to 0.75, not to 1: divide them by their sum" in str(told)


def test_max_subset_is_for_tiny_traces(monkeypatch):
    monkeypatch.setattr("streamjoin_core.shedding.subsets.MOST_EDGES", 1)
    assert "greedy-max-subset" in refusal(*WHOLE, "--strategy", "max-subset")


def test_calibrate_writes_costs_that_shed_takes():
    told = run("--rows", "10000", "--repeats", "1", "-o", "costs.json", app=calibrate_app)
    assert told.exit_code == 0, told.output
    assert "cost of a tuple" in told.stdout
    with open("costs.json") as file:
        costs = json.load(file)
    assert costs["update"] > 0 <= costs["production"]
    assert len(costs["measurements"]) == 7
    report = run(*WHOLE, "--costs", "costs.json", "--json")
    assert json.loads(report.stdout)["options"]["update_cost"] == costs["update"]


def test_fit_tells_when_the_model_does_not_hold():
    """A time that has nothing to do with tuples and results is badly explained."""
    good = fit_costs([(10, n, 1 + n / 100) for n in range(0, 100, 10)])
    bad = fit_costs([(10, n, 1 + n % 20) for n in range(0, 100, 10)])
    assert good.r_squared > 0.999 > bad.r_squared
    assert good.largest_error < 0.001 < bad.largest_error
