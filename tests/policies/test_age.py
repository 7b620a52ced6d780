"""AGE against its definition in plain Python, the paper's examples, and what it refuses."""

import json
import os
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import streamjoin_core as sj
from streamjoin_core.errors import InputError
from tests.oracle.slow_age import slow_age, slow_curve, slow_join, slow_split
from tests.oracle.strategies import join_cases
from tests.test_against_oracle import as_trace, check_join

EXAMPLES = int(os.environ.get("SJOIN_EXAMPLES", "600")) // 2
quickly = settings(max_examples=EXAMPLES, deadline=None, derandomize=True, phases=[Phase.generate])


def replay(rows, **options):
    (run,) = sj.replay(as_trace(rows), policy="age", **options).runs
    return run


@st.composite
def age_cases(draw):
    rows, options = draw(join_cases(["age"]))
    for name in ("policy", "params", "seed"):
        del options[name]
    return rows, options


@quickly
@given(age_cases())
def test_equals_its_definition(case):
    rows, options = case
    check_join(replay(rows, **options), slow_age(rows, **options))


@settings(parent=quickly, max_examples=EXAMPLES // 3)
@given(age_cases(), st.data())
def test_given_curves_tie_where_their_decimals_do(case, data):
    """Tenths and thirds are no binary numbers, and still tie."""
    rows, options = case
    options["window"] = data.draw(st.sampled_from([3, 5, (4, 7)]))
    windows = options["window"] if isinstance(options["window"], tuple) else [options["window"]] * 2
    shares = st.sampled_from([0, 0.1, 0.2, 0.3, 1 / 3, 2 / 3, 1])
    curves = [data.draw(st.lists(shares, min_size=w, max_size=w)) for w in windows]
    exact = [[round(share * 30) for share in curve] for curve in curves]
    slow = slow_age(rows, curves=exact, **options)
    check_join(replay(rows, age_curve=dict(zip("RS", curves, strict=True)), **options), slow)


@settings(parent=quickly, max_examples=EXAMPLES // 3)
@given(age_cases())
def test_automatic_split_is_the_best_by_equation_3(case):
    rows, options = case
    if rows:
        options["split"] = "auto"
        run = replay(rows, **options)
        join = slow_join(rows, **options)
        curves = [slow_curve(join, stream) for stream in range(2)]
        mem = options["mem"]
        assert run.parts in slow_split(join, curves, mem)
        if mem <= len(rows):
            del options["split"]
            left, right = run.parts
            check_join(run, slow_age(rows, split=f"{left}:{right}", **options))


def with_curve(curve, steps):
    """One R tuple a step, and S tuples that give each R tuple curve[k - 1] results at age k."""
    time, key, stream = [], [], []
    for now in range(1, steps + 1):
        partners = [now - age for age, number in enumerate(curve, 1) for _ in range(number)]
        for at, of in [*((partner, "S") for partner in partners if partner >= 1), (now, "R")]:
            time.append(now)
            key.append(at)
            stream.append(of)
    return sj.trace_from_arrays(np.array(time), np.array(key), stream)


def results_per_step(trace, steps, **options):
    """Results at each step: those until then, less those until before."""
    totals = [
        sj.replay(trace, policy="age", warmup=step, **options).runs[0].results
        for step in range(steps + 1)
    ]
    return [before - after for before, after in pairwise(totals)]


@pytest.mark.parametrize(("mem", "per_three_steps"), [(1, 4), (2, 8), (3, 12)])
def test_example_3_3_staggers_strategy_1(mem, per_three_steps):
    """p = 1, 1, 2, 1: 4 results per 3 steps for each tuple in memory, up to k_opt = 3 of them."""
    trace = with_curve([1, 1, 2, 1], 40)
    curve = {"R": [1, 1, 2, 1], "S": [0, 0, 0, 0]}
    options = {"window": 4, "split": "1:0", "mem": mem, "age_curve": curve}
    results = results_per_step(trace, 34, **options)
    assert sum(results[4:34]) == 10 * per_three_steps
    if mem == 1:
        assert results[:8] == [0, 1, 1, 2, 1, 1, 2, 1]


def test_example_3_4_alternates_over_a_minimum():
    """p = 3, 0, 2 in memory 2: 4 results per step on average, where the newest two give 3."""
    trace = with_curve([3, 0, 2], 40)
    options = {"window": 3, "split": "1:0", "mem": 2}
    results = results_per_step(trace, 34, age_curve={"R": [3, 0, 2], "S": [0, 0, 0]}, **options)
    # What the paper's table has between a time and the next comes at the next.
    assert results[1:8] == [3, 3, 5, 3, 5, 3, 5]
    assert sum(results[8:34]) == 4 * 26
    recent = sj.replay(trace, policy="recent", **options).runs[0]
    assert recent.results == pytest.approx(3 * 39, abs=3)


def test_without_minima_it_keeps_the_newest():
    """Past k_opt every tuple stays for as long as there is memory: as recent does."""
    trace = with_curve([5, 4, 2, 1, 0], 60)
    for mem in (1, 2, 4):
        runs = sj.replay(trace, policy="age,recent", mem=mem, window=5, split="1:0").runs
        assert runs[0].results == runs[1].results


def test_theory_is_what_happens_where_the_model_holds():
    trace = with_curve([1, 1, 2, 1], 3000)
    for mem in (1, 2, 3, 4):
        (run,) = sj.replay(trace, policy="age", mem=mem, window=4, split="1:0").runs
        assert run.theoretical_recall == pytest.approx(run.recall, abs=0.005)
    assert run.recall == 1


def test_theory_of_prob():
    trace = sj.generate("zipf", steps=20000, seed=3, skew=1.2, correlation="inverse")
    for mem in (50, 500, 1500):
        for split in ("shared", "1:1"):
            (run,) = sj.replay(trace, policy="prob", mem=mem, window=500, split=split).runs
            assert run.theoretical_recall == pytest.approx(run.recall, abs=0.03), (mem, split)
    (run,) = sj.replay(trace, policy="prob", mem=50).runs
    assert run.theoretical_recall is None  # there is no steady state without a window


@pytest.mark.parametrize("seed", range(4))
def test_many_blocks_of_a_bumpy_curve(seed):
    """Long windows with many tuples in memory, where most blocks need not be looked into."""
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.choice([0, 1, 1, 2], 500)).tolist()
    rows = [(time, int(rng.integers(2)), int(rng.integers(9)), 1.0, None) for time in times]
    curves = [rng.integers(0, 30, window).tolist() for window in (130, 170)]
    options = {"mem": 70, "window": (130, 170), "split": ["shared", "2:1"][seed % 2]}
    run = replay(rows, age_curve=dict(zip("RS", curves, strict=True)), **options)
    check_join(run, slow_age(rows, curves=curves, **options))


def test_theory_is_near_on_irregular_arrivals():
    trace = sj.generate("age", steps=20000, seed=1, curve="bell")
    for mem in (100, 300):
        (run,) = sj.replay(trace, policy="age", mem=mem, window=500, split="1:0").runs
        assert run.recall == pytest.approx(run.theoretical_recall, abs=0.03)


def test_a_prefix_is_told(tmp_path):
    trace = sj.generate("age", steps=2000, seed=1)
    report = sj.replay(trace, policy="age", mem=50, window=500, age_curve="prefix:0.5")
    told = report.options["age_curve"]
    assert told["source"] == "prefix"
    assert len(trace) // 2 <= told["rows"] < len(trace) // 2 + 20
    assert report.runs[0].results > 0


REFUSED = [
    ({"age_curve": {"R": [1, 2], "S": [1, 2, 3]}}, "has 2 ages for stream 'R'.*window has 3"),
    ({"age_curve": {"R": [1, 2, 3]}}, "no list for stream 'S': add it"),
    ({"age_curve": {"R": [1, 2, -1], "S": [1, 2, 3]}}, "numbers of 0 or more"),
    ({"age_curve": {"R": [1] * 3, "S": [1] * 3, "T": [1]}}, "names stream 'T'"),
    ({"age_curve": {}}, "no list per stream"),
    ({"age_curve": "nowhere.json"}, "cannot read age curve nowhere.json"),
    ({"age_curve": "prefix:2"}, "give a share above 0"),
    ({"age_curve": "prefix", "window": None}, "give --window, or --age-curve learn"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_refusals(options, message):
    trace = with_curve([1, 1, 1], 5)
    with pytest.raises(InputError, match=message):
        sj.replay(trace, policy="age", mem=2, **({"window": 3} | options))


def test_caching_has_no_age_curve(tmp_path):
    path = tmp_path / "curve.json"
    path.write_text(json.dumps({"R": [1]}))
    trace = sj.trace_from_arrays([1, 2], [1, 1])
    with pytest.raises(InputError, match="caching has no --age-curve"):
        sj.replay(trace, policy="lru", mem=1, problem="caching", age_curve=path)
