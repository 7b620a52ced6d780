"""FlowExpect: the paper's example, the slow version, and the optimum when the future is known."""

from itertools import product

import numpy as np
import pytest

import streamjoin_core as sj
from streamjoin_core.checks.cases import join_of, random_trace
from streamjoin_core.engine.joining import JoinTask
from streamjoin_core.optimal import solve
from streamjoin_core.optimal.expected_flow import expected_plan
from streamjoin_core.policies.registry import find_policy
from tests.oracle.slow_flowexpect import slow_flowexpect

# Section 4: a memory of one tuple holds R's 1, and S brings a 2 now. None joins nothing.
NOW = (("R", 1), ("S", 2))
TO_COME = {  # per time unit ahead and stream: the key, and its probability
    (1, "R"): (2, 1.0),
    (1, "S"): (3, 0.5),
    (2, "R"): (3, 1.0),
    (2, "S"): (1, 0.8),
    (3, "R"): (2, 0.5),
    (3, "S"): (1, 0.8),
}


def benefits(stream, key, probability, arrival):
    """Expected results at 1, 2 and 3 of a tuple that arrives so far ahead."""
    other = "S" if stream == "R" else "R"
    partners = [TO_COME[ahead, other] for ahead in (1, 2, 3)]
    return [
        probability * chance if partner == key and ahead > arrival else 0.0
        for ahead, (partner, chance) in enumerate(partners, 1)
    ]


def test_the_papers_example():
    known = np.array([benefits(stream, key, 1.0, 0) for stream, key in NOW])
    arrivals = [(ahead, stream) for ahead, stream in TO_COME if ahead < 3]
    coming = np.array([benefits(s, *TO_COME[a, s], a) for a, s in arrivals])
    plan = expected_plan(known, [a for a, _ in arrivals], coming, 1)
    assert plan.kept.tolist() == [0]
    assert plan.until.tolist() == [3, 0]
    assert plan.expected == pytest.approx(1.6)
    new_s = coming[arrivals.index((1, "S"))]
    always_1, always_2, then_3 = known[0].sum(), known[1].sum(), known[1][0] + new_s.sum()
    assert (always_1, always_2, then_3) == pytest.approx((1.6, 1.5, 1.5))


def test_the_papers_online_strategy_is_better_than_any_plan():
    """Keep S's 2; swap it for S's next tuple if that is a 3; then keep what there is."""
    total = 0.0
    for happens in product((True, False), repeat=len(TO_COME)):
        chances = [p for _, p in TO_COME.values()]
        weight = np.prod([p if h else 1 - p for p, h in zip(chances, happens, strict=True)])
        arrived = {
            place: key if h else None
            for (place, (key, _)), h in zip(TO_COME.items(), happens, strict=True)
        }
        held, results = 2, 0
        for ahead in (1, 2, 3):
            results += arrived[ahead, "R"] == held
            if ahead == 1 and arrived[1, "S"] == 3:
                held = 3
        total += weight * results
    assert total == pytest.approx(1.75)


STATIONARY = {"kind": "stationary", "pmf": {"0": 0.4, "1": 0.25, "2": 0.2, "5": 0.15}}
UNIFORM = {"kind": "uniform", "bound": 2}
NORMAL = {"kind": "normal", "sigma": 1.0, "bound": 3}
MODELS = {
    "empirical": ({"kind": "empirical"},) * 2,
    "stationary": (STATIONARY, {"kind": "stationary", "pmf": {"0": 0.1, "1": 0.5, "3": 0.4}}),
    "trend": (
        {"kind": "trend", "slope": 0.5, "intercept": -1, "noise": NORMAL},
        {"kind": "trend", "slope": 0.5, "intercept": 0, "noise": UNIFORM},
    ),
    "walk": (
        {"kind": "walk", "drift": 0.3, "sigma": 1.0},
        {"kind": "walk", "drift": 0.0, "sigma": 0.8},
    ),
    "ar1": ({"kind": "ar1", "phi0": 1.0, "phi1": 0.6, "sigma": 1.0},) * 2,
    "offline": ({"kind": "offline"},) * 2,
    "empirical and trend": (
        {"kind": "empirical"},
        {"kind": "trend", "slope": 0.3, "intercept": 0, "noise": UNIFORM},
    ),
    "stationary and walk": (STATIONARY, {"kind": "walk", "drift": 0.2, "sigma": 0.9}),
    "offline and empirical": ({"kind": "offline"}, {"kind": "empirical"}),
    "stationary and empirical": (STATIONARY, {"kind": "empirical"}),
    "trend and offline": (
        {"kind": "trend", "slope": 0.3, "intercept": 0, "noise": UNIFORM},
        {"kind": "offline"},
    ),
}
OPTIONS = (
    {},
    {"window": 2},
    {"window": (1, 4)},
    {"window": 2, "window_kind": "tuples"},
    {"split": "even"},
    {"band": (-1, 2)},
    {"on": "<"},
    {"on": "!="},
)


def small_rows(rng) -> list:
    """Up to two arrivals in a step, and gaps between steps."""
    number = 16
    time = np.cumsum(rng.choice([0, 1, 1, 2], number)).tolist()
    return [
        (at, int(rng.integers(2)), int(rng.integers(max(0, at // 3 - 1), at // 3 + 3)), 1.0, None)
        for at in time
    ]


def replayed(rows, models, lookahead, **options):
    time, stream, key, *_ = zip(*rows, strict=True)
    labels = np.array(["R", "S"])[list(stream)]
    trace = sj.trace_from_arrays(np.array(time), np.array(key), labels)
    model = dict(zip("RS", models, strict=True))
    policy = f"flowexpect:lookahead={lookahead}"
    (run,) = sj.replay(trace, policy=policy, model=model, **options).runs
    return run


@pytest.mark.parametrize("name", MODELS)
def test_against_the_slow_version(name):
    rng = np.random.default_rng(len(name))
    for case in range(32):
        rows = small_rows(rng)
        if {row[1] for row in rows} != {0, 1}:
            continue
        options = {"mem": int(rng.integers(1, 4)), **OPTIONS[case % len(OPTIONS)]}
        if options.get("split"):
            options["mem"] = 2
        lookahead = int(rng.integers(1, 4))
        run = replayed(rows, MODELS[name], lookahead, **options)
        slow = slow_flowexpect(rows, models=MODELS[name], lookahead=lookahead, **options)
        for measure in ("results", "evicted", "dropped", "expired", "mean_lifetime"):
            assert getattr(run, measure) == pytest.approx(slow[measure]), (case, options, rows)


@pytest.mark.parametrize("parts", [(1,), (3,), (8,), (1, 3)])
@pytest.mark.parametrize(
    "options", [{}, {"window": (4, 12)}, {"window": None}, {"band": (-1, 1)}, {"on": "<"}]
)
def test_with_the_future_known_it_is_the_optimum(parts, options):
    policy = find_policy("flowexpect")
    model = {"R": {"kind": "offline"}, "S": {"kind": "offline"}}
    for seed in range(3):
        join = join_of(random_trace(seed, 60), **options)
        params = policy.parameters(lookahead=int(np.ptp(join.rows.time)) + 1)
        facts = policy.joining(JoinTask(join, params, parts, model=model))
        assert facts.results.sum() == solve(join, [parts]).optimum(parts).lower


def test_certainty_is_the_same_by_any_model():
    """Both tuples join whatever comes, so the earlier one goes, though a seventh is rounded."""
    model = {
        "R": {"kind": "trend", "slope": 0, "intercept": 0, "noise": UNIFORM | {"bound": 3}},
        "S": {"kind": "stationary", "pmf": {"0": 0.5, "1": 0.5}},
    }
    trace = sj.trace_from_arrays([1, 1, 2], [100, -100, 1], ["R", "S", "R"])
    (run,) = sj.replay(trace, policy="flowexpect", lookahead=1, mem=1, on="!=", model=model).runs
    assert (run.label, run.results) == ("flowexpect:lookahead=1", 1)


def test_an_option_that_nobody_takes_is_refused():
    trace = sj.trace_from_arrays([1, 2], [1, 1], ["R", "S"])
    with pytest.raises(sj.InputError, match="has --lookahead: leave it out, or name flowexpect"):
        sj.replay(trace, policy="fifo", lookahead=3, mem=1)


def test_models_of_numbers_need_whole_keys():
    trace = sj.trace_from_arrays([1, 2], np.array(["a", "b"], object), ["R", "S"])
    with pytest.raises(sj.InputError, match="needs keys that are whole numbers"):
        sj.replay(trace, policy="flowexpect", mem=1, model={"R": MODELS["walk"][0]})
