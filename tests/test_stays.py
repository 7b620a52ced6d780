"""How tuples stayed, worked by hand; the slow engine checks every policy elsewhere."""

import pytest

import streamjoin_core as sj
from tests.small_traces import trace


def stays(text, policy, **options) -> dict:
    (run,) = sj.replay(trace(text), policy=policy, fairness=True, **options).runs
    return run.stays


def test_by_hand():
    # Memory of one: a (1) joins at 2, where it also leaves; b (2) leaves at 4 idle for 2, and its
    # partner comes at 5; c (4) never joins and leaves at 5; the last one is still there.
    told = stays("1Ra 2Sa 2Rb 4Rc 5Sb", "fifo", mem=1)
    # At 2, Sa and Rb both arrive: Sa enters and leaves in its own step.
    assert told == {
        "left": 4,
        "lifetimes": {
            "least": 0,
            "p10": 0,
            "p25": 0,
            "median": 1,
            "p75": 1,
            "p90": 2,
            "p99": 2,
            "most": 2,
        },
        "premature": 1,
        "premature_share": 0.25,
        "unproductive_time": 3,
        "unproductive_share": 3 / 4,
    }


def test_a_partner_outside_the_window_is_not_missed():
    assert stays("1Ra 2Rb 9Sa", "fifo", mem=1)["premature"] == 1
    assert stays("1Ra 2Rb 9Sa", "fifo", mem=1, window=5)["premature"] == 0


def test_unlimited_memory_drops_nobody_early():
    told = stays("1Ra 2Sa 9Rb", "exact", mem=1, window=3)
    assert (told["left"], told["premature"]) == (2, 0)
    # Both left at 9, and their last result was at 2.
    assert told["unproductive_time"] == 14


def test_nobody_left():
    told = stays("1Ra 2Sb", "fifo", mem=5)
    assert (told["left"], told["lifetimes"], told["premature_share"]) == (0, None, None)
    assert told["unproductive_share"] is None


def test_only_if_asked_for_and_only_for_joining():
    (run,) = sj.replay(trace("1Ra 2Sb"), policy="fifo", mem=5).runs
    assert run.stays is None
    with pytest.raises(sj.InputError, match="for joining only"):
        sj.replay(trace("1Ra"), policy="fifo", mem=5, problem="caching", fairness=True)
