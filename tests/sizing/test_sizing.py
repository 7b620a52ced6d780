"""Memories for targets, against trying all memories one by one."""

import pytest

import streamjoin_core as sj
from streamjoin_core.errors import InputError
from streamjoin_core.sizing import need, reach, translate_ttl
from streamjoin_core.sizing.candidates import plan_for
from streamjoin_core.sizing.search import smallest
from tests.small_traces import SMALL, references

ZIPF = sj.generate("zipf", steps=400, seed=3)
OPTIONS = {"window": 40}


def smallest_by_trying(policy: str, measure: str, target: float, **options):
    runs = sj.sweep(ZIPF, policy=policy, mem="1:300", jobs=1, **OPTIONS | options).runs
    return next(run.mem for run in runs if getattr(run, measure) >= target)


def test_needs_are_what_trying_all_memories_finds():
    found = need(ZIPF, target="recall=0.8", policy="fifo,prob", jobs=2, **OPTIONS)
    assert {one.label: one.mem for one in found.policies} == {
        name: smallest_by_trying(name, "recall", 0.8) for name in ("fifo", "prob")
    }
    assert found.optimum.mem == smallest_by_trying("opt", "recall", 0.8)
    for one in found.policies:
        assert one.times_optimum == one.mem / found.optimum.mem
    assert list(found.policies) == sorted(found.policies, key=lambda one: one.mem)


def test_parts_have_needs_of_their_own():
    options = {"split": "1:3", "warmup": 10}
    found = need(ZIPF, target="recall=0.7", policy="fifo", jobs=1, **OPTIONS | options)
    assert found.policies[0].mem == smallest_by_trying("fifo", "recall", 0.7, **options)
    assert found.optimum.mem == smallest_by_trying("opt", "recall", 0.7, **options)


def test_importance_and_fairness():
    trace = sj.generate("importance", steps=1500, seed=1)
    found = need(trace, target="importance_recall=0.6", policy="greedy,fifo", jobs=1)
    assert found.optimum.mem <= min(one.mem for one in found.policies)
    assert all(one.reached >= 0.6 for one in found.policies)
    found = need(trace, target="fairness=0.9", policy="greedy", jobs=1)
    assert found.optimum is None


def test_all_policies_that_suit_are_asked():
    plan, skipped = plan_for(None)
    names = {policy.name for policy, _ in plan.policies}
    assert {"fifo", "prob", "heeb"} <= names
    assert not {"opt", "exact", "ttl", "lru"} & names
    assert skipped["life"] == "needs a window"
    assert "life" in {policy.name for policy, _ in plan_for(None, window=3)[0].policies}


def test_caching_against_lfd():
    stream = references("abcabbcadacb")
    found = need(stream, target="hit_ratio=0.4", policy="lru,fifo", problem="caching", jobs=1)
    runs = sj.replay(stream, policy="lru,fifo,lfd", mem="1:4", problem="caching").runs
    enough = {}
    for run in runs:
        if run.hit_ratio >= 0.4:
            enough.setdefault(run.label, run.mem)
    assert {one.label: one.mem for one in (*found.policies, found.optimum)} == enough


def test_out_of_reach_and_undefined():
    lonely = sj.trace_from_arrays([1, 2], ["a", "b"], ["R", "R"])
    found = need(lonely, target="recall=0.5", policy="fifo", jobs=1)
    assert (found.policies[0].mem, found.policies[0].reached) == (None, None)


def test_a_curve_that_falls_is_told():
    values = {1: 0.1, 2: 0.6, 3: 0.2, 4: 0.3, 5: 0.7, 6: 0.8, 7: 0.8, 8: 0.9}
    found = smallest(values.get, 0.5, 8)
    assert (found.mem, found.is_monotone) == (2, False)
    assert smallest(lambda mem: mem / 8, 0.5, 8).is_monotone
    assert smallest(lambda mem: 0.1, 0.5, 8).mem is None


def test_what_a_memory_reaches():
    found = reach(ZIPF, mem="5,9", policy="fifo,prob", jobs=1, **OPTIONS)
    runs = sj.replay(ZIPF, policy="fifo,prob", mem="5,9", opt=True, **OPTIONS).runs
    expected = {(run.label, run.mem): (run.recall, run.ratio_to_opt) for run in runs}
    offers = {(one.label, one.mem): (one.recall, one.ratio_to_opt) for one in found.offers}
    assert {name: offers[name] for name in expected} == expected
    assert offers["opt", 5][1] == 1.0
    for mem in (5, 9):
        recalls = [one.recall for one in found.offers if one.mem == mem]
        assert recalls == sorted(recalls, reverse=True)


def test_a_time_to_live_in_tuples():
    found = translate_ttl(ZIPF, ttl="3:7", policy="fifo,prob", jobs=1, **OPTIONS)
    (run,) = sj.replay(ZIPF, policy="ttl:left=3,right=7", **OPTIONS).runs
    assert (found.results, found.recall) == (run.results, run.recall)
    # A tuple is held after each step from its arrival on that is no later than its limit.
    held = [
        sum(
            arrived <= now and now - arrived <= (3, 7)[side]
            for arrived, side in zip(ZIPF.time.tolist(), ZIPF.stream.tolist(), strict=True)
        )
        for now in sorted(set(ZIPF.time.tolist()))
    ]
    assert found.peak_state == max(held)
    assert found.mean_state == pytest.approx(sum(held) / len(held), rel=1e-12)
    assert {one.mem for one in found.at_peak} == {max(held)}
    by_label = {one.label: one for one in found.same_recall}
    assert by_label["opt"].mem <= by_label["prob"].mem <= max(held)
    assert all(one.reached >= run.recall for one in found.same_recall)


@pytest.mark.parametrize(
    ("function", "options", "words"),
    [
        (need, {"target": "recall"}, "is no goal"),
        (need, {"target": "recall=1.5"}, "is no goal"),
        (need, {"target": "speed=0.5"}, "measure 'speed' is unknown"),
        (need, {"target": "recall=0.5", "policy": "opt"}, "shown anyway"),
        (translate_ttl, {"ttl": ":"}, "time-to-live ':' is unknown"),
        (translate_ttl, {"ttl": "2h"}, "give a plain number"),
        (translate_ttl, {"ttl": "2", "order": "evict-first"}, "probe-first only"),
    ],
)
def test_refusals(function, options, words):
    with pytest.raises(InputError, match=words):
        function(SMALL, **options)
