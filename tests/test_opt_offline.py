"""The offline optimum as the library gives it: values, bounds, schedule, prices and refusals."""

import csv
import io
import json
from importlib import resources

import jsonschema
import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from rich.console import Console

import streamjoin_core as sj
from streamjoin_core.engine.joining import prepare_join
from streamjoin_core.opt_offline import opt_offline
from streamjoin_core.optimal import solve
from streamjoin_core.optimal.benefit import find_benefit
from streamjoin_core.optimal.schedule import make_schedule
from streamjoin_core.report.optimum import certified
from streamjoin_core.report.optimum_files import write_prices, write_schedule
from streamjoin_core.report.optimum_table import optimum_table
from streamjoin_core.report.write import report_json
from tests.optimal.questions import as_trace, examples, questions
from tests.oracle.best_schedule import best_total
from tests.small_traces import SMALL, trace

SCHEMA = json.loads(
    resources.files("streamjoin_core.report").joinpath("schema_opt_offline.json").read_text()
)
# Same-step pairs, quarters as importances, and a key that is worth waiting for.
WEIGHED = trace("1Ra 1Sa 2Rb 3Sa 3Sb 4Sa 5Rb 6Sb", importance=[4, 1, 0.25, 2, 8, 1, 0.5, 3])


def random_trace(seed: int, rows: int = 300, keys: int = 12, importance: str | None = None):
    """Zipf-like keys on two streams; importances are whole, quarters or tenths."""
    draw = np.random.default_rng(seed)
    unit = {"whole": 1, "quarters": 0.25, "tenths": 0.1}.get(importance)
    return sj.trace_from_arrays(
        np.sort(draw.integers(0, rows // 2, rows)),
        np.minimum(draw.zipf(1.4, rows), keys),
        np.array(["R", "S"])[draw.integers(0, 2, rows)],
        importance=None if unit is None else draw.integers(0, 40, rows) * unit,
    )


# Every shape that a report can have.
REPORTS = {
    "plain": lambda: opt_offline(SMALL, mem="1:3", window="3:4"),
    "importance": lambda: opt_offline(WEIGHED, mem=1, objective="importance", combine="sum"),
    "unweighed importance": lambda: opt_offline(SMALL, mem=1, objective="importance"),
    "results of weighed": lambda: opt_offline(WEIGHED, mem="1,8", count_same_step=True),
    "split": lambda: certified(opt_offline(SMALL, mem="1,2", split="even", warmup=1)),
    "bound": lambda: opt_offline(random_trace(1), mem="2,9", window=20, bound=True, time_limit=99),
    "peer": lambda: opt_offline(SMALL, mem=2, solver="ortools"),
    "empty": lambda: certified(opt_offline(trace(""), mem=1)),
    "no results": lambda: opt_offline(trace("1Ra 2Sb"), mem=1, bound=True),
    "partitions": lambda: opt_offline(WEIGHED, mem="2,4", partitions=2, whole=True),
    "tuples": lambda: opt_offline(SMALL, mem=1, window=2, window_kind="tuples", bound=True),
}


@pytest.mark.parametrize("name", REPORTS)
def test_json_fits_its_schema_and_is_the_same_twice(name):
    report = REPORTS[name]()
    text = report_json(report)
    jsonschema.validate(json.loads(text), SCHEMA)
    assert report_json(REPORTS[name]()) == text
    for run in report.runs:
        assert run.lower <= run.upper
        assert (run.status == "optimal") == (run.lower == run.upper)


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("suffix", ["json", "csv", "parquet"])
def test_every_report_can_be_written(name, suffix, tmp_path):
    report, path = REPORTS[name](), tmp_path / f"report.{suffix}"
    sj.write_report(report, path)
    if suffix == "json":
        assert json.loads(path.read_text()) == report.as_dict()
        return
    if suffix == "csv":
        with path.open() as file:
            rows = list(csv.DictReader(file))
    else:
        rows = pq.read_table(path).to_pylist()
    assert [int(row["mem"]) for row in rows] == [run.mem for run in report.runs]
    assert [float(row["upper"]) for row in rows] == [run.upper for run in report.runs]


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_has_a_table(name):
    console = Console(width=80, record=True, file=io.StringIO())
    report = REPORTS[name]()
    console.print(optimum_table(report))
    assert report.runs[0].status in console.export_text()


def test_values_by_hand():
    # Memory 1: 1Ra waits for 3Sa, which takes its place until 5Ra, which waits for 6Sa.
    report = opt_offline(SMALL, mem="1:4")
    assert [run.results for run in report.runs] == [3, 4, 5, 5]
    assert [run.recall for run in report.runs] == [0.6, 0.8, 1.0, 1.0]
    assert {run.exact for run in report.runs} == {5}
    assert {(run.status, run.graph, run.label) for run in report.runs} == {
        ("optimal", "key", "opt")
    }


def test_importance_by_hand():
    # min: 1Ra-3Sa 2, 1Ra-4Sa 1, 2Rb-3Sb 1/4, 2Rb-6Sb 1/4, 3Sb-5Rb 1/2, 5Rb-6Sb 1/2.
    report = opt_offline(WEIGHED, mem="1,2,3", objective="importance")
    assert [run.importance for run in report.runs] == [3.5, 4.25, 4.5]
    assert [run.exact_importance for run in report.runs] == [4.5] * 3
    assert [(run.results, run.recall) for run in report.runs] == [(None, None)] * 3
    assert report.runs[0].label == "opt:objective=importance"
    assert report.runs[0].params == {"objective": "importance"}
    same_step = opt_offline(WEIGHED, mem=1, objective="importance", count_same_step=True).runs[0]
    assert (same_step.importance, same_step.exact_importance) == (4.5, 5.5)
    assert (same_step.lower, same_step.upper, same_step.status) == (4.5, 4.5, "optimal")


def test_what_the_objective_does_not_decide_is_not_told():
    some, all_of_it = opt_offline(WEIGHED, mem="1,8").runs
    assert (some.importance, some.importance_recall) == (None, None)
    assert (all_of_it.results, all_of_it.importance) == (6, 4.5)
    unweighed = opt_offline(SMALL, mem=1, objective="importance", combine="sum").runs[0]
    assert (unweighed.importance, unweighed.results) == (6.0, 3)


@examples(10)
@given(questions())
def test_brute_force_agrees(question):
    rows, options = question
    run = opt_offline(as_trace(rows), **options).runs[0]
    assert run.status == "optimal"
    assert run.lower == pytest.approx(float(best_total(rows, **options)), rel=1e-9)


@pytest.mark.parametrize("objective", ["results", "importance"])
@pytest.mark.parametrize("seed", range(3))
def test_the_curve_is_monotone_concave_and_above_all_policies(seed, objective):
    arrivals = random_trace(seed, importance="quarters")
    report = opt_offline(arrivals, mem="1:40", window=15, objective=objective)
    curve = [0, *(run.lower for run in report.runs)]
    gains = np.diff(curve)
    assert (gains >= 0).all()
    assert (np.diff(gains) <= 0).all()
    for run in sj.replay(arrivals, policy="fifo,prob,life,greedy", mem="1:40:13", window=15).runs:
        assert getattr(run, objective) <= curve[run.mem]


@pytest.mark.parametrize("split", ["shared", "1:3"])
@pytest.mark.parametrize("objective", ["results", "importance"])
def test_peers_agree(objective, split):
    arrivals = random_trace(4, 120, importance="quarters")
    question = {"mem": "1,4,9", "window": 20, "objective": objective, "split": split}
    ours = opt_offline(arrivals, **question)
    for graph in ("match",) if objective == "importance" else ("key", "match"):
        for solver in ("ortools", "networkx"):
            theirs = opt_offline(arrivals, **question, solver=solver, graph=graph)
            assert [run.lower for run in theirs.runs] == [run.lower for run in ours.runs]
            assert theirs.runs[0].graph == graph


@pytest.mark.parametrize("solver", ["ortools", "networkx"])
def test_peers_refuse_fractions_instead_of_cutting_them_off(solver):
    with pytest.raises(sj.InputError, match=r"whole numbers only.*or take our own solver"):
        opt_offline(
            random_trace(4, importance="tenths"), mem=2, objective="importance", solver=solver
        )


@pytest.mark.parametrize("split", ["shared", "2:1"])
@pytest.mark.parametrize("objective", ["results", "importance"])
def test_the_schedule_file_replays_to_the_optimum(objective, split, tmp_path):
    arrivals = random_trace(5, importance="quarters")
    report = opt_offline(arrivals, mem="3,7", window=20, objective=objective, split=split)
    write_schedule(report.solution.schedule, tmp_path / "best.parquet")
    table = pq.read_table(tmp_path / "best.parquet")
    rows = table.to_pylist()
    assert [row["row"] for row in rows] == list(range(len(arrivals)))
    assert [row["key"] for row in rows] == arrivals.key_values[arrivals.key].tolist()
    assert sum(row[objective] for row in rows) == report.runs[-1].lower
    replayed = sj.replay(
        arrivals, policy=f"opt:objective={objective}", mem=7, window=20, split=split
    )
    assert getattr(replayed.runs[0], objective) == report.runs[-1].lower
    # From the file alone: who enters, and until when.
    join, steps = report.solution.join, np.unique(arrivals.time)
    leaving = [np.searchsorted(steps, row["leaving_time"]) if row["enters"] else -1 for row in rows]
    again = make_schedule(
        join, report.solution.benefit, report.solution.kept, np.array(leaving, np.int32)
    )
    assert all(held <= size for held, size in zip(again.most_held, again.parts, strict=True))
    assert report.solution.benefit.value(again.units.sum()) == report.runs[-1].lower


def test_times_and_labels_in_files_are_the_original_ones(tmp_path):
    arrivals = sj.trace_from_arrays([10, 20, 30], ["é", "é", "é"], ["x", "y", "y"], time_unit="ms")
    report = opt_offline(arrivals, mem=2, split="even")
    write_schedule(report.solution.schedule, tmp_path / "s.parquet")
    write_prices(report.solution, tmp_path / "p.parquet")
    first = pq.read_table(tmp_path / "s.parquet").to_pylist()[0]
    assert (first["stream"], first["key"], first["enters"], first["results"]) == ("x", "é", True, 2)
    assert first["leaving_time"].microsecond == 30_000
    prices = pq.read_table(tmp_path / "p.parquet")
    assert prices.column_names == ["step", "time", "price_left", "price_right"]
    assert str(prices.schema.field("time").type) == "timestamp[ms]"


@pytest.mark.parametrize("objective", ["results", "importance"])
def test_prices_prove_the_optimum(objective, tmp_path):
    arrivals = random_trace(6, importance="tenths")
    report = certified(opt_offline(arrivals, mem="3,7", window=20, objective=objective))
    assert report.certificate["holds"]
    assert report.certificate["mem"] == 7
    assert report.certificate["primal"] == report.certificate["dual"] == report.runs[-1].lower
    write_prices(report.solution, tmp_path / "p.parquet")
    prices = pq.read_table(tmp_path / "p.parquet")
    assert len(prices) == len(np.unique(arrivals.time))
    assert min(prices["price"].to_pylist()) >= 0
    assert max(prices["price"].to_pylist()) > 0


OPTIONS = [
    {},
    {"window": 20},
    {"window": "5:30", "split": "1:2", "warmup": 10},
    {"band": "-1:2", "window": 10},
    {"window": 12, "window_kind": "tuples"},
    {"on": "<", "window": 4, "count_same_step": True},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("objective", ["results", "importance"])
def test_bounds_bracket_the_optimum(options, objective):
    for seed in range(3):
        arrivals = random_trace(seed, 150, importance="tenths")
        question = options | {"mem": "1,3,8,40", "objective": objective}
        best = opt_offline(arrivals, **question)
        for limit in (None, 60):
            bounds = opt_offline(arrivals, **question, bound=True, time_limit=limit)
            for found, optimum in zip(bounds.runs, best.runs, strict=True):
                assert found.lower <= optimum.lower * (1 + 1e-12)
                assert found.upper >= optimum.upper * (1 - 1e-12)
        if options.get("window_kind") != "tuples" and not {"band", "on"} & set(options):
            # With time enough the last round has one group: it is exact.
            assert {run.status for run in bounds.runs} == {"optimal"}


def test_bounds_come_closer_with_time():
    arrivals = random_trace(7, 4000, keys=200)
    quick, long = (
        opt_offline(arrivals, mem=40, window=300, bound=True, time_limit=limit).runs[0]
        for limit in (1e-9, 60)
    )
    assert quick.status == "bound"
    assert quick.lower <= long.lower <= long.upper <= quick.upper


def test_a_time_limit_leaves_bounds():
    arrivals = random_trace(8, 3000)
    run = opt_offline(arrivals, mem="1:400", window=500, time_limit=1e-9).runs[-1]
    optimum = opt_offline(arrivals, mem=400, window=500).runs[0]
    assert run.status == "bound"
    assert run.lower <= optimum.lower <= run.upper
    assert run.results == run.lower


@pytest.mark.parametrize("bound", [False, True])
def test_an_interrupt_leaves_bounds(bound):
    def interrupt(what, done, total):
        if what != "building the graph":
            raise KeyboardInterrupt

    arrivals = random_trace(8, 3000)
    run = opt_offline(arrivals, mem=400, window=500, bound=bound, progress=interrupt).runs[0]
    optimum = opt_offline(arrivals, mem=400, window=500).runs[0]
    assert run.lower <= optimum.lower <= run.upper
    assert bound or run.status == "bound"


def test_same_as_solve():
    arrivals = random_trace(9)
    join = prepare_join(
        arrivals,
        window=(20, 20),
        by_tuples=False,
        evict_first=False,
        on="=",
        band=None,
        combination="min",
        first_counted=0,
    )
    assert find_benefit(join, "results").is_exact
    expected = [best.lower for best in solve(join, [(1,), (5,), (9,)]).optima]
    assert [run.results for run in opt_offline(arrivals, mem="1,5,9", window=20).runs] == expected


REFUSED = [
    ({"order": "evict-first"}, "no flow problem"),
    ({"mem": None}, "needs a memory: give --mem"),
    ({"mem": 0}, "at least 1"),
    ({"objective": "fame"}, "objective.*results or importance"),
    ({"graph": "tree"}, "graph 'tree' is unknown: choose auto or key or match"),
    ({"graph": "key", "on": "<"}, "take the match graph"),
    ({"solver": "guess"}, "solver 'guess' is unknown"),
    ({"solver": "ortools", "bound": True}, "cannot be stopped"),
    ({"solver": "networkx", "time_limit": 1}, "cannot be stopped"),
    ({"time_limit": "soon"}, "length of time"),
    ({"time_limit": 0}, "give one such as 60s"),
    ({"max_memory": "lots"}, "no size of memory: give one such as 500MB"),
    ({"max_memory": "100B"}, "more than the 100 B allowed: raise --max-memory"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED, ids=str)
def test_refusals(options, message):
    with pytest.raises(sj.InputError, match=message):
        opt_offline(SMALL, **{"mem": 2} | options)
