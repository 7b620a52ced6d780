"""Replays under a budget: what is foreseen comes true, and no more is spent than allowed."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import streamjoin_core as sj
from streamjoin_core.policies.registry import all_policies
from streamjoin_core.shedding.registry import strategy_names
from tests.small_traces import trace as small

SCHEMA = json.loads(
    (Path(sj.__file__).parent / "report" / "schema_shed.json").read_text(encoding="utf-8")
)
ONLINE = "cf,inp,pni,pni:by=key,cf:by=key,online-max-subset,uniform,uniform:charge=results"
TINY = small("1Ra 2Sa 3Sa 4Rb 5Sb 6Ra 7Rb 8Sb 9Sa")


@pytest.fixture(scope="module")
def steady_trace():
    return sj.generate("zipf", steps=6000, seed=3, domain=40, rate_left=2.0, rate_right=3.0)


@pytest.fixture(scope="module")
def steady_report(steady_trace):
    return sj.shed(
        steady_trace,
        budget="0.3,0.7",
        strategy=f"none,{ONLINE},greedy-max-subset,most-partners",
        costs="1:0.2",
        window="100:150",
        warmup=150,
    )


def by_label(report, budget="0.3") -> dict:
    return {run.label: run for run in report.runs if run.budget == budget}


def test_what_is_foreseen_of_steady_streams_comes_true(steady_report):
    for run in steady_report.runs:
        if run.label in ONLINE.split(","):
            assert run.measured_rate == pytest.approx(run.predicted_rate, rel=0.06), run.label


@pytest.mark.parametrize("budget", ["0.3", "0.7"])
def test_random_strategies_in_the_papers_order(steady_report, budget):
    runs = by_label(steady_report, budget)
    assert runs["inp"].results < runs["cf"].results < runs["pni"].results
    assert runs["inp"].predicted_rate < runs["cf"].predicted_rate < runs["pni"].predicted_rate
    by_key = runs["pni:by=key"].predicted_rate
    assert by_key >= runs["online-max-subset"].predicted_rate
    assert by_key >= runs["cf:by=key"].predicted_rate
    assert runs["online-max-subset"].predicted_rate >= runs["cf"].predicted_rate


def test_never_above_the_budget_beyond_the_burst(steady_report):
    for run in steady_report.runs:
        assert run.largest_burst <= run.burst * (1 + 1e-9)
        assert run.cost <= run.allowed * (1 + 1e-9)
        assert sum(period["spent"] for period in run.over_time) == pytest.approx(run.cost)
        assert sum(run.losses.values()) + run.results == run.exact
        assert run.results <= run.bound
        lost = [period["lost_to_cpu"] for period in run.over_time]
        assert sum(lost) == run.exact - run.results


def test_a_budget_of_the_full_cost_and_its_peaks_loses_nothing(steady_trace):
    report = sj.shed(
        steady_trace, budget=3, strategy=f"none,{ONLINE}", costs=(1, 0.2), window="100:150"
    )
    for run in report.runs:
        if run.strategy != "uniform":
            assert (run.recall, run.cost) == (1, pytest.approx(run.full_cost)), run.label
    # Hardly any partner comes when a tuple counts on no more.
    assert by_label(report, "3")["uniform"].recall > 0.998


def test_both_limits_at_once(steady_trace):
    def run(**limits):
        options = {"strategy": "pni:by=key", "costs": "1:0.2", "window": 100} | limits
        (found,) = sj.shed(steady_trace, **options).runs
        return found

    cpu, memory, both = run(budget=0.3), run(budget=9, mem=20), run(budget=0.3, mem=20)
    assert {period["binds"] for period in cpu.over_time} <= {"cpu", "neither"}
    assert {period["binds"] for period in memory.over_time} <= {"memory", "neither"}
    assert cpu.losses["memory_evicted"] == 0 == cpu.evicted
    assert memory.losses["entry_shed"] == 0 < memory.losses["memory_evicted"]
    # Shedding spares the memory, as the paper says: what is left is worth its place.
    assert both.evicted < memory.evicted
    assert memory.results < both.results < cpu.results
    assert {period["binds"] for period in both.over_time} == {"cpu"}
    fifo, prob = (run(budget=0.3, mem=20, strategy="none", policy=one) for one in ("fifo", "prob"))
    assert fifo.results < prob.results


MEMORY_POLICIES = [
    policy.name
    for policy in all_policies()
    if policy.joining and not (policy.ignores_memory or policy.knows_future)
]


@pytest.mark.parametrize("policy", MEMORY_POLICIES)
def test_every_policy_of_the_memory_works_under_a_budget(policy):
    options = {"budget": "0.5/1", "burst": 2, "strategy": "none", "costs": "1:1", "window": 8}
    numbers = replace(TINY, key_values=np.arange(2))  # which hist needs
    (run,) = sj.shed(numbers, mem=2, policy=policy, **options).runs
    assert run.results + sum(run.losses.values()) == run.exact == 10
    assert run.sheds["entry_unpaid"] + run.sheds["probe_unpaid"] > 0
    assert run.results <= run.cost <= run.allowed


def test_learning_looks_at_the_first_rows_only(steady_trace):
    def decisions(keys):
        changed = sj.trace_from_arrays(
            steady_trace.time, keys, np.array(["R", "S"])[steady_trace.stream]
        )
        options = {"budget": "9/1", "costs": "1:0.2", "window": 100, "fit_prefix": 0.25}
        return sj.shed(changed, strategy="online-max-subset,pni", **options)

    keys = steady_trace.key.copy()
    first = -(-len(keys) // 4)
    report = decisions(keys)
    assert report.options["frequencies"] == "learnt"
    assert report.options["learnt_rows"] == first
    keys[first:] = keys[first:][::-1].copy()
    changed = decisions(keys)
    for one, other in zip(report.runs, changed.runs, strict=True):
        assert one.chances == other.chances
        assert one.predicted_rate == other.predicted_rate
    known, learnt = (
        sj.shed(
            steady_trace,
            budget="9/1",
            strategy="online-max-subset",
            costs="1:0.2",
            window=100,
            model=model,
        )
        for model in (None, "auto")
    )
    assert known.options["frequencies"] == "trace"
    assert learnt.options["frequencies"] == "learnt"
    assert known.runs[0].results == pytest.approx(report.runs[0].results, rel=0.1)


def test_a_hand_worked_case():
    """Budget 1 per unit, burst 2; entering costs 1, a result 1.

    1: Ra enters (purse 1). 2: +1 = 2, Sa meets Ra (1), enters (0). 3: +1, Sa meets Ra (0), cannot
    enter. 4: +1, Rb enters (0). 5: +1, Sb meets Rb (0), cannot enter. 6: +1, Ra meets 2Sa (0),
    cannot enter. 7: +1, Rb has no partner in memory, enters (0). 8: +1, Sb can meet one of 4Rb and
    7Rb (0). 9: +1, Sa meets 1Ra (0).
    """
    (run,) = sj.shed(TINY, budget="1/1", burst=2, strategy="none", costs="1:1", window=8).runs
    assert (run.results, run.cost, run.exact) == (6, 10, 10)
    assert run.losses == {
        "entry_shed": 0,
        "entry_unpaid": 3,
        "probe_shed": 0,
        "probe_unpaid": 1,
        "memory_dropped": 0,
        "memory_evicted": 0,
        "policy_expired": 0,
    }
    assert run.sheds["entry_unpaid"] == 5
    assert run.largest_burst <= 2


def test_planned_subsets_come_true():
    names = "greedy-max-subset,max-subset,max-subset:induced=yes,most-partners"
    for budget in ("0.3", "0.6", "0.9"):
        report = sj.shed(TINY, budget=budget, burst=9, strategy=names, costs="1:1", window=8)
        runs = by_label(report, budget)
        planned = {label: run.chances["planned"] for label, run in runs.items()}
        assert runs["max-subset:induced=yes"].results == planned["max-subset:induced=yes"]
        assert runs["most-partners"].results == planned["most-partners"]
        assert planned["greedy-max-subset"] <= planned["max-subset"] <= planned["most-partners"]
        assert planned["max-subset:induced=yes"] <= planned["max-subset"]
        assert all(run.cost <= run.allowed for run in runs.values())
        assert all(run.results >= run.chances["planned"] for run in runs.values())


def test_json_and_files(steady_report, tmp_path):
    jsonschema.validate(steady_report.as_dict(), SCHEMA)
    options = {"budget": 0.4, "strategy": "pni,uniform", "costs": "1:1", "window": 3, "burst": 9}
    twice = [sj.shed(TINY, seeds=3, mem=2, fit_prefix=0.5, **options) for _ in range(2)]
    jsonschema.validate(twice[0].as_dict(), SCHEMA)
    assert json.dumps(twice[0].as_dict()) == json.dumps(twice[1].as_dict())
    assert [summary["seeds"] for summary in twice[0].summaries] == [3, 3]
    for suffix in (".json", ".csv", ".parquet"):
        sj.write_report(twice[0], tmp_path / f"report{suffix}")
    import pyarrow.parquet as pq

    table = pq.read_table(tmp_path / "report.parquet")
    assert table.num_rows == 6
    assert str(table.schema.field("losses_entry_shed").type) == "int64"
    assert str(table.schema.field("sheds_probe_unpaid").type) == "int64"


@pytest.mark.parametrize("rows", ["", "1Ra", "1Ra 1Sa", "1Ra 2Rb"])
def test_traces_with_nothing_to_join(rows):
    if not rows:
        empty = sj.trace_from_arrays(np.array([], np.int64), np.array([], np.int64), [])
    every = [name for name in strategy_names() if name != "none"]
    found = sj.shed(
        small(rows) if rows else empty,
        budget="5/1",
        strategy=every,
        costs="1:1",
        window=3,
        fit_prefix=1,
    )
    for run in found.runs:
        assert (run.exact, run.results, run.recall) == (0, 0, None)
