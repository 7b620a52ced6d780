"""The library's `replay`: what it takes, what it runs, and what it refuses before any work."""

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import streamjoin_core as sj
from tests.oracle.test_slow_engine import IJOIN, IJOIN_OPTIONS
from tests.small_traces import SMALL, STATIONARY, references, trace
from tests.test_against_oracle import as_trace


def only_run(*arguments, **options):
    (run,) = sj.replay(*arguments, **options).runs
    return run


@pytest.mark.parametrize(
    ("policy", "order", "importance", "results"),
    [
        ("exact", "evict-first", 36, 16),
        ("exact", "probe-first", 36, 16),
        ("fifo", "evict-first", 6, 4),
        ("greedy", "evict-first", 13, 5),
        ("fifo", "probe-first", 20, 9),
        ("greedy", "probe-first", 23, 9),
    ],
)
def test_ijoin_golden(policy, order, importance, results):
    run = only_run(as_trace(IJOIN), policy=policy, order=order, **IJOIN_OPTIONS)
    assert (run.exact, run.exact_importance) == (16, 36)
    assert (run.importance, run.results) == (importance, results)


def test_trace_table_path_and_function_give_the_same_runs(tmp_path):
    path = tmp_path / "small.parquet"
    sj.write_trace(SMALL, path)
    table = pa.table(
        {"time": SMALL.time, "stream": list("RRSSRS"), "key": SMALL.key_values[SMALL.key]}
    )
    reports = [
        sj.replay(given, policy="fifo", mem=2)
        for given in (SMALL, table, path, str(path), lambda: SMALL)
    ]
    assert all(report.runs == reports[0].runs for report in reports)
    assert len({report.trace["fingerprint"] for report in reports}) == 1
    assert reports[2].trace["path"] == str(path)


def test_nothing_is_read_before_all_options_are_checked():
    def read():
        raise AssertionError("read too early")

    with pytest.raises(sj.InputError, match="memory 0 is too small"):
        sj.replay(read, policy="fifo", mem=0)


@pytest.mark.parametrize(
    ("mem", "sizes"),
    [
        (10, [10]),
        ("10", [10]),
        ("5,10,20", [5, 10, 20]),
        ("10:50:10", [10, 20, 30, 40, 50]),
        ("1:3", [1, 2, 3]),
        ("2:7:3", [2, 5]),
        ("5, 1:2", [5, 1, 2]),
        ([3, "4:5"], [3, 4, 5]),
        (range(1, 4), [1, 2, 3]),
        (np.array([7, 8]), [7, 8]),
        ("9,9", [9]),
    ],
)
def test_memories(mem, sizes):
    report = sj.replay(SMALL, policy="fifo", mem=mem)
    assert [run.mem for run in report.runs] == sizes
    assert report.as_dict()["options"]["mem"] == sizes


@pytest.mark.parametrize("policy", ["exact", "ttl:left=9", "jtl:n=9"])
def test_without_a_limit_everything_is_kept(policy):
    report = sj.replay(SMALL, policy=policy, split="even")
    (run,) = report.runs
    assert (run.mem, run.results, run.exact, report.options["mem"]) == (None, 5, 5, None)


@pytest.mark.parametrize(
    ("policy", "labels"),
    [
        ("fifo", ["fifo"]),
        ("fifo,ttl:left=2,right=3,greedy", ["fifo", "ttl:left=2,right=3", "greedy"]),
        (["fifo", "jtl:n=2,greedy"], ["fifo", "jtl:n=2", "greedy"]),
        (("recent", "fifo", "jtl:n=1"), ["fifo", "jtl"]),
    ],
)
def test_policies(policy, labels):
    report = sj.replay(SMALL, policy=policy, mem=3)
    assert [run.label for run in report.runs] == labels
    assert report.options["policy"] == labels


def test_params_are_all_told():
    run = only_run(SMALL, policy="ttl:left=2", mem=3)
    assert (run.policy, run.params) == ("ttl", {"left": "2", "right": None})


def test_only_chance_is_run_under_every_seed():
    report = sj.replay(SMALL, policy="fifo,rand", mem="1,2", seed=7, seeds=3)
    assert [(run.policy, run.mem, run.seed) for run in report.runs] == [
        ("fifo", 1, 7),
        ("fifo", 2, 7),
        *(("rand", mem, seed) for mem in (1, 2) for seed in (7, 8, 9)),
    ]
    assert [(entry["label"], entry["mem"]) for entry in report.summaries] == [
        ("rand", 1),
        ("rand", 2),
    ]
    assert sj.replay(SMALL, policy="rand", mem=1, seed=8).runs == report.runs[3:4]


def test_splits():
    # At the end all that is cached is right (Sb, Sa) or left (Rb, Ra).
    rows = trace("1Ra 2Rb 3Sa 4Sb")
    assert only_run(rows, policy="fifo", mem=2, split="0:1").results == 0
    assert only_run(rows, policy="fifo", mem=2, split="1:0").results == 2
    assert only_run(rows, policy="fifo", mem=2, split="0.5:0.5").results == 1
    assert only_run(rows, policy="fifo", mem=3, split="even").results == 2


def test_windows_take_the_units_of_the_trace():
    moments = np.array([0, 1000, 2500], "datetime64[ms]")
    rows = sj.trace_from_arrays(moments, ["a", "a", "a"], ["R", "S", "S"])
    report = sj.replay(rows, policy="fifo", mem=1, window="2s:1m")
    assert report.options["window"] == (2000, 60000)
    assert report.options["time_unit"] == "ms"
    assert (report.runs[0].exact, report.runs[0].results) == (1, 1)
    assert report.runs[0].mean_lifetime == 1.25  # seconds: 1 and 1.5


@pytest.mark.parametrize("window", [2, "2", "2:9", (2, 9), [2, 9]])
def test_windows_in_tuples(window):
    rows = trace("1Ra 2Rb 3Rc 9Sa 9Sb 9Sc")
    run = only_run(rows, policy="exact", window=window, window_kind="tuples")
    assert run.exact == 2


@pytest.mark.parametrize(("warmup", "exact"), [(0, 5), (2, 5), (3, 4), (5, 2), (6, 0), (99, 0)])
def test_warmup_counts_steps(warmup, exact):
    assert only_run(SMALL, policy="exact", warmup=warmup).exact == exact


def test_warmup_beyond_one_piece_of_the_search(monkeypatch):
    from streamjoin_core.partitions import work

    expected = [only_run(SMALL, policy="exact", warmup=steps).exact for steps in range(8)]
    monkeypatch.setattr(work, "_CHUNK", 2)
    found = [only_run(SMALL, policy="exact", warmup=steps).exact for steps in range(8)]
    assert found == expected


@pytest.mark.parametrize("same_step", [False, True])
def test_losses_and_results_make_up_exact(same_step):
    rows = trace("1Ra 1Sa 2Sa 2Rb 3Sb 3Ra 4Sa 5Sb")
    for policy in ("fifo", "greedy", "rand", "until-expiry", "ttl:left=1", "jtl"):
        run = only_run(rows, policy=policy, mem=2, count_same_step=same_step)
        assert run.results + sum(run.losses.values()) == run.exact
        assert run.same_step_results == 1


def test_groups_and_the_worst():
    rows = trace("1Ra 2Sa 3Rb 4Sb 5Sa", group=["x", "y", "x", "y", "x"])
    run = only_run(rows, policy="fifo", mem=1)
    assert [entry["group"] for entry in run.groups] == ["x", "y"]
    assert run.worst_group == "x"
    assert only_run(SMALL, policy="fifo", mem=1).worst_group is None


def by_prob(told, **options):
    """A run of prob on a trace that tells this model of itself."""
    rows = trace("1Ra 1Rb 2Sb", metadata={"model": told})
    return only_run(rows, policy="prob", mem=1, **options)


def test_prob_follows_the_model_that_the_trace_tells():
    # By counts Ra and Rb tie, and the earlier goes; by the model a is the likelier one.
    told = {"R": STATIONARY, "S": STATIONARY, "T": {"kind": "nonsense"}}
    report = sj.replay(trace("1Ra 1Rb 2Sb", metadata={"model": told}), policy="prob", mem=1)
    assert report.options["model"]["source"] == "trace"
    assert report.options["model"]["kinds"] == {"R": "stationary", "S": "stationary"}
    assert report.runs[0].results == 0


def test_the_model_of_the_user_goes_first():
    told = {"R": STATIONARY, "S": STATIONARY}
    learnt = {label: {"kind": "empirical"} for label in told}
    assert by_prob(told).results == 0
    assert by_prob(told, model=learnt).results == 1
    assert by_prob({"S": {"kind": "walk", "drift": 0, "sigma": 1}}).results == 1


def test_model_file(tmp_path):
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"R": STATIONARY}))
    run = only_run(references("abab"), policy="a0", mem=1, problem="caching", model=path)
    assert run.hits == 1  # a enters, b is bypassed


@pytest.mark.parametrize(
    ("keys", "pmf"),
    [
        ([1, 2, 1, 2], {"1": 0.9, "2": 0.1}),
        ([1.0, 2.5, 1.0, 2.5], {"1": 0.9, "25e-1": 0.1}),
        (["1", "2", "1", "2"], {"1": 0.9}),
    ],
)
def test_model_keys_are_texts(keys, pmf):
    rows = sj.trace_from_arrays([0, 1, 2, 3], keys)
    model = {"R": {"kind": "stationary", "pmf": pmf}}
    assert only_run(rows, policy="a0", mem=1, problem="caching", model=model).hits == 1


def test_caching():
    report = sj.replay(references("abcabb"), policy="lru,lfd", mem=2, problem="caching", warmup=3)
    lru, lfd = report.runs
    assert (lru.references, lru.hits, lru.hit_ratio) == (3, 1, 1 / 3)
    assert (lfd.hits, lfd.dropped, lfd.evicted) == (3, 1, 0)
    assert "window" not in report.options


def test_progress_is_told():
    told = []
    sj.replay(SMALL, policy="fifo,exact", mem=1, progress=lambda *what: told.append(what))
    assert told == [("replaying fifo", 0, 2), ("replaying exact", 1, 2), ("replaying", 1, 1)]
    told.clear()
    options = {"policy": "fifo", "mem": 2, "partitions": 2}
    sj.replay(SMALL, **options, progress=lambda *what: told.append(what))
    assert told == [("replaying fifo", 0, 2), ("replaying fifo", 1, 2), ("replaying", 2, 2)]


@pytest.mark.parametrize("policy", ["exact", "fifo", "rand", "greedy"])
def test_traces_without_results(policy):
    for rows in (trace(""), trace("1Ra 2Rb")):
        run = only_run(rows, policy=policy, mem=1)
        assert (run.exact, run.recall, run.importance_recall) == (0, None, None)


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, streamjoin_core.replay, streamjoin_core as sj; assert callable(sj.replay);"
        "print(sorted({'numpy', 'numba', 'pyarrow', 'scipy'} & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"


def test_every_public_name_is_there():
    for name in sj.__all__:
        assert getattr(sj, name) is not None
        assert name in dir(sj)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        sj.nonsense  # noqa: B018
