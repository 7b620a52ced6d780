"""Ways of finding HEEB's scores agree with the defining sum, and so do the decisions."""

import numpy as np
import pytest

import streamjoin_core as sj
from streamjoin_core.checks.cases import join_of
from streamjoin_core.engine.foreseen import BY_TIME, BY_VALUE, SUMMED, new_outlook, replay_outlook
from streamjoin_core.engine.joining import JoinTask, run_join
from streamjoin_core.models.chances import Ask
from streamjoin_core.models.given import models_by_stream
from streamjoin_core.models.life import Life
from streamjoin_core.policies.registry import find_policy

HEEB = find_policy("heeb")
UNIFORM = {"kind": "uniform", "bound": 6}
NORMAL = {"kind": "normal", "sigma": 2.0, "bound": 9}


def trend(slope, intercept, noise):
    return {"kind": "trend", "slope": slope, "intercept": intercept, "noise": noise}


TRENDS = [
    {"R": trend(1, -1, NORMAL), "S": trend(1, 0, UNIFORM)},
    {"R": trend(2, 0, UNIFORM), "S": trend(2, 3, NORMAL)},
    {"R": trend(-1, 0, NORMAL), "S": trend(-1, 2, NORMAL)},
    {"R": trend(0.7, 0, NORMAL), "S": trend(0.7, 1, UNIFORM)},
    {"R": trend(0, 0, NORMAL), "S": trend(0, 1, UNIFORM)},
]
PMF = {str(key): p for key, p in enumerate(np.diff(np.linspace(0, 1, 12) ** 2))}
STATIONARY = {"R": {"kind": "stationary", "pmf": PMF}, "S": {"kind": "stationary", "pmf": PMF}}


def drawn(model: dict, seed: int, steps: int = 300):
    """A trace of the two processes, some units of time without arrivals."""
    rng = np.random.default_rng(seed)
    rows = []
    for now in np.cumsum(rng.choice([1, 1, 1, 2, 5], steps)).tolist():
        for label in "RS":
            entry = model[label]
            if entry["kind"] == "stationary":
                key = int(rng.choice(len(PMF), p=list(PMF.values())))
            else:
                line = int(np.floor(entry["slope"] * now + entry["intercept"] + 0.5))
                key = line + int(rng.integers(-6, 7))
            rows.append((now, key, label))
    return sj.trace_from_arrays(*(np.array(column) for column in zip(*rows, strict=True)))


def final_scores(trace, model, evaluation, alpha, mem, window):
    """Scores of what is in memory after the last step, by row; and the facts of the run."""
    join = join_of(trace, window=window and (window, window))
    task = JoinTask(join, HEEB.parameters(alpha=str(alpha)), (mem,), model=model)
    models = models_by_stream(trace.labels, model)
    wait = None if window is None else int(window)
    lives = (Life("exp", alpha=alpha),)
    foreseen = [
        models[1 - s].joining(Ask(trace, s, lives, "=", None, wait, wants_terms=True))
        for s in range(2)
    ]
    outlook = new_outlook(task, foreseen, np.array([alpha]), 0, evaluation=evaluation)
    facts = run_join(task, replay_outlook, outlook)
    return np.sort(outlook.score[np.isfinite(outlook.score)]), facts


@pytest.mark.parametrize("window", [None, 7])
@pytest.mark.parametrize("evaluation", [BY_TIME, BY_VALUE])
@pytest.mark.parametrize("model", [*TRENDS, STATIONARY])
def test_recurrences_give_the_defining_sum(model, evaluation, window):
    for seed, alpha in enumerate([0.8, 2.5, 12.0]):
        trace = drawn(model, seed)
        scores, facts = final_scores(trace, model, evaluation, alpha, 12, window)
        wanted, told = final_scores(trace, model, SUMMED, alpha, 12, window)
        # Ties that rounding separates may change who leaves, but hardly how much is found.
        assert abs(int(facts.results.sum()) - int(told.results.sum())) <= 3
        if len(scores) and len(scores) == len(wanted):
            assert np.abs(scores - wanted).max() <= 1e-10


@pytest.mark.parametrize("scenario", ["tower", "roof", "floor"])
@pytest.mark.parametrize("evaluation", ["direct", "time", "value"])
def test_the_same_decisions_on_the_papers_trends(scenario, evaluation):
    trace = sj.generate(scenario, steps=1500, seed=3)
    table, other = sj.replay(trace, policy=["heeb", f"heeb:evaluation={evaluation}"], mem=10).runs
    assert (other.results, other.evicted, other.dropped) == pytest.approx(
        (table.results, table.evicted, table.dropped), rel=0 if evaluation == "direct" else 0.002
    )


@pytest.mark.parametrize(("scenario", "options"), [("walk", {}), ("walk", {"window": 40})])
def test_direct_sums_of_walks_decide_alike(scenario, options):
    trace = sj.generate(scenario, steps=800, seed=2)
    table, direct = sj.replay(
        trace, policy=["heeb:alpha=6", "heeb:alpha=6,evaluation=direct"], mem=6, **options
    ).runs
    assert (direct.results, direct.evicted) == (table.results, table.evicted)


def test_splines_through_all_points_are_the_tables_and_few_points_approximate():
    trace = sj.generate("walk", steps=1500, seed=4)
    policies = ["heeb", "heeb:evaluation=spline,grid=0", "heeb:evaluation=spline,grid=201"]
    table, whole, fine = sj.replay(trace, policy=policies, mem=10).runs
    assert whole.results == table.results
    assert fine.results == pytest.approx(table.results, rel=0.05)


def references(seed=0, rows=900):
    rng = np.random.default_rng(seed)
    keys = [20]
    for _ in range(rows - 1):
        keys.append(round(6 + 0.7 * keys[-1] + 4 * rng.standard_normal()))
    return sj.trace_from_arrays(np.arange(rows), np.array(keys))


AR1 = {"R": {"kind": "ar1", "phi0": 6.0, "phi1": 0.7, "sigma": 4.0}}


@pytest.mark.parametrize(
    "model",
    [
        AR1,
        {"R": {"kind": "walk", "drift": 0.2, "sigma": 1.5}},
        {"R": {"kind": "stationary", "pmf": {str(key): 0.02 for key in range(10, 35)}}},
        {"R": trend(0.05, 10, UNIFORM)},
    ],
)
def test_caching_by_the_defining_sum(model):
    trace = references()
    table, direct = sj.replay(
        trace,
        policy=["heeb:alpha=4", "heeb:alpha=4,evaluation=direct"],
        mem=6,
        problem="caching",
        model=model,
    ).runs
    assert (direct.hits, direct.evicted) == (table.hits, table.evicted)


def test_a_surface_of_five_by_five_points_is_an_approximation():
    policies = ["heeb:alpha=3", "heeb:alpha=3,evaluation=spline,grid=0"]
    policies += ["heeb:alpha=3,evaluation=spline", "heeb:alpha=3,evaluation=spline,grid=40"]
    options = {"mem": 6, "problem": "caching", "model": AR1}
    table, whole, five, fine = sj.replay(references(), policy=policies, **options).runs
    assert whole.hits == table.hits
    assert fine.hits == pytest.approx(table.hits, rel=0.02)
    assert five.hits > 0.5 * table.hits


@pytest.mark.parametrize(
    ("policy", "options", "told"),
    [
        ("heeb:evaluation=time", {}, "trends and stationary"),
        ("heeb:evaluation=spline,life=fixed:3", {"scenario": "tower"}, "curves of walks"),
        ("heeb:grid=7", {}, "grid is for evaluation spline"),
        ("heeb:evaluation=fast", {}, "evaluation"),
        ("heeb:evaluation=value,alpha=auto", {"scenario": "tower"}, "one alpha"),
    ],
)
def test_refusals(policy, options, told):
    trace = sj.generate(options.get("scenario", "walk"), steps=50, seed=1)
    with pytest.raises(sj.InputError, match=told):
        sj.replay(trace, policy=policy, mem=3)


def test_alpha_auto_is_no_worse_than_the_worst_alpha_and_looks_at_no_future():
    trace = sj.generate("walk", steps=2000, seed=5)
    policies = ["heeb:alpha=auto", *(f"heeb:alpha={alpha}" for alpha in (1, 2, 3, 5, 10))]
    auto, *others = (run.results for run in sj.replay(trace, policy=policies, mem=10).runs)
    assert auto >= min(others)


def test_life_and_alpha_are_options_of_all_policies_that_have_them():
    trace = sj.generate("tower", steps=200, seed=1)
    runs = sj.replay(trace, policy=["heeb", "heeb:alpha=9", "fifo"], mem=5, alpha=3).runs
    assert [run.label for run in runs] == ["heeb:alpha=3", "heeb:alpha=9", "fifo"]
    with pytest.raises(sj.InputError, match="no policy that is named has --life"):
        sj.replay(trace, policy="fifo", mem=5, life="inf")
