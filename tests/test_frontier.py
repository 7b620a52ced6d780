"""The frontier of importance against fairness: nobody on it is beaten, everybody else is."""

import pytest

import streamjoin_core as sj
from streamjoin_core.checks.cases import random_trace
from streamjoin_core.frontier import find_frontier, parse_varied
from streamjoin_core.report.frontier import frontier_table, plot_frontier


def found(**options):
    vary = {"tau": "0:4:2", "delta": "1,3,9"}
    return find_frontier(random_trace(3, 600), vary=vary, mem=6, window=20, **options)


def test_all_settings_and_others():
    frontier = found(beside="fifo,greedy")
    assert len(frontier.settings) == len(frontier.is_efficient) == 9
    assert [run.policy for run in frontier.others] == ["fifo", "greedy"]
    assert {run.params["tau"] for run in frontier.settings} == {"0", "2", "4"}


def test_efficient_ones_are_not_beaten_and_others_are():
    frontier = found()
    points = [(run.fairness, run.importance_recall) for run in frontier.settings]
    assert 1 <= sum(frontier.is_efficient) < 9
    for point, is_efficient in zip(points, frontier.is_efficient, strict=True):
        beaten = [
            one for one in points if one != point and one[0] >= point[0] and one[1] >= point[1]
        ]
        assert is_efficient == (not beaten)


def test_picture_and_table(tmp_path):
    frontier = found()
    plot_frontier(frontier, tmp_path / "frontier.svg")
    assert "its frontier" in (tmp_path / "frontier.svg").read_text()
    assert frontier_table(frontier).renderables
    efficient = frontier.as_dict()["efficient"]
    assert len(efficient) == sum(frontier.is_efficient)


@pytest.mark.parametrize("text", ["tau", "tau=5:1", "tau=a:b", "tau=1:2:3:4", "sigma=1,2"])
def test_bad_values(text):
    with pytest.raises(sj.InputError):
        find_frontier(random_trace(3, 60), vary=parse_varied([text]), mem=3)


def test_nothing_varies():
    with pytest.raises(sj.InputError, match="nothing varies"):
        find_frontier(random_trace(3, 60), vary={}, mem=3)
