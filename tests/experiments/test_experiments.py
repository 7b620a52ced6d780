"""Every experiment runs, small, and says the same again."""

from pathlib import Path

import numpy as np
import pytest

from streamjoin_core.errors import InputError, SjoinError
from streamjoin_core.experiments import fig15
from streamjoin_core.experiments.base import Curve, Estimate, Setup
from streamjoin_core.experiments.registry import all_experiments, experiment_names
from streamjoin_core.experiments.run import run_experiment
from streamjoin_core.processes import results_of
from streamjoin_core.progress import silent
from streamjoin_core.report.experiment import findings_dict
from streamjoin_core.trace.scenarios import generate

MELBOURNE = Path("../shared/data/melbourne_daily_max_1981_1990.csv")


@pytest.fixture
def temperatures(tmp_path) -> Path:
    tenths = generate("ar1", steps=200, seed=1)
    degrees = (tenths.key_values[tenths.key] / 10).tolist()
    path = tmp_path / "temperatures.csv"
    path.write_text("Date,Temperature\n" + "".join(f'"1",{one}\n' for one in degrees))
    return path


def small(name: str, temperatures: Path, **options) -> dict:
    (experiment,) = (one for one in all_experiments() if one.name == name)
    options |= {"runs": 2} if experiment.runs else {}
    options |= {"steps": max(experiment.least_steps, 260)} if experiment.steps else {}
    options |= {"data": temperatures} if experiment.data else {}
    return findings_dict(run_experiment(name, **options))


@pytest.mark.parametrize("name", experiment_names())
def test_each_runs(name, temperatures, monkeypatch):
    monkeypatch.setattr(fig15, "_MEMORIES", (10, 130))  # each has tables of its own to make
    found = small(name, temperatures)
    assert found["experiment"] == name
    assert found["panels"]
    assert found["claims"]
    for panel in found["panels"]:
        points = [point for curve in panel["curves"] for point in curve["points"]]
        assert points
        for point in points:
            if point["runs"] == 1 or point["mean"] is None:
                assert point["low"] is point["high"] is None
            else:
                assert point["low"] <= point["mean"] <= point["high"]
    assert all(claim["found"] for claim in found["claims"])


def test_names_are_in_order_of_their_numbers():
    names = experiment_names()
    assert names.index("fig9") < names.index("fig10")
    assert [experiment.name for experiment in all_experiments()] == list(names)


def test_the_same_seed_gives_the_same_however_many_processes(temperatures):
    first, again, other = (
        small("fig16", temperatures, seed=seed, jobs=jobs)
        for seed, jobs in ((3, 1), (3, 2), (4, 1))
    )
    assert first == again
    assert first["panels"] != other["panels"]


def test_a_process_that_is_killed_is_told():
    with pytest.raises(SjoinError, match="take fewer jobs"):
        results_of(exec, ["pass", "import os; os._exit(1)", "pass"], 2, silent)


def test_results_come_in_order_and_progress_is_told():
    told = []
    found = results_of(abs, [-1, 2, -3], 1, lambda *progress: told.append(progress))
    assert found == [1, 2, 3]
    assert told[-1] == ("running", 3, 3)


def test_estimates():
    curve = Curve("a", {1: (1.0, 3.0), 2: (5.0,), 3: (1.0, None)})
    mean, low, high = curve.estimate(1)
    assert (mean, mean - low) == (2.0, high - mean)
    assert mean - low == pytest.approx(12.706, abs=1e-3)  # t of one degree of freedom
    assert curve.estimate(2) == Estimate(5.0, None, None)
    assert curve.estimate(3) is curve.estimate(4) is curve.mean(4) is None


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("fig7", {}, "there is no experiment 'fig7': choose among "),
        ("fig8", {"runs": 0}, "number of runs is 0: give a whole number of at least 1"),
        ("fig8", {"steps": 40}, "number of steps is 40: give a whole number of at least 41"),
        ("fig8", {"data": "x.csv"}, "experiment fig8 makes its own data: leave --data out"),
        ("fig6", {"runs": 3}, "experiment fig6 has no number of runs: leave it out"),
        ("fig6", {"steps": 3}, "experiment fig6 has no number of steps"),
        ("fig15", {}, "experiment fig15 needs daily temperatures .*: give it with --data FILE"),
        ("fig15", {"data": "none.csv"}, "cannot read none.csv: No such file"),
        ("fig6", {"jobs": 0}, "number of jobs is 0"),
        ("fig6", {"seed": -1}, "seed is -1"),
    ],
)
def test_bad_options(name, options, message):
    with pytest.raises(InputError, match=message):
        run_experiment(name, **options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no numbers"),
        ("Date,Temperature\n", "without a number"),
        ("Date,Temperature\na,hot\n", "has no numbers"),
        ("Date,Temperature\na,1.5\nb,\n", "without a number"),
    ],
)
def test_bad_data(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        run_experiment("fig15", data=path)


@pytest.mark.skipif(not MELBOURNE.exists(), reason="the temperatures are not here")
def test_real_data_as_found_by_hand(monkeypatch):
    monkeypatch.setattr(fig15, "_MEMORIES", (10, 50))
    trace = fig15._references(MELBOURNE)
    assert (len(trace), len(np.unique(trace.key))) == (3650, 309)
    hits = {curve.label: curve.values for curve in fig15._hits(trace, Setup())}
    assert hits["heeb:alpha=mem"] == {10: (261,), 50: (1207,)}
    assert hits["lru"] == {10: (362,), 50: (1380,)}
    assert hits["lfu"] == {10: (303,), 50: (1323,)}
    assert hits["lfd"] == {10: (1231,), 50: (2210,)}
