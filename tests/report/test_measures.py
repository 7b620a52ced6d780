"""Measures worked by hand."""

import numpy as np
import pytest

from streamjoin_core.engine.facts import CachingFacts, JoinFacts, Lifetimes
from streamjoin_core.report.intervals import interval
from streamjoin_core.report.measures import (
    WholeJoin,
    caching_measures,
    fairness,
    join_measures,
    mean_lifetime,
    share,
    worst_group,
)


def facts(results, importance=None, **others) -> JoinFacts:
    groups = len(results)
    nothing = dict.fromkeys(
        ("evicted", "dropped", "expired", "lost_never_admitted", "lost_evicted", "lost_expired"), 0
    )
    return JoinFacts(
        results=np.array(results),
        importance=None if importance is None else np.array(importance),
        **{
            "lives": np.zeros((groups, 3)),
            "left_share_total": 0.0,
            "steps_with_tuples": 0,
            **nothing,
            **others,
        },
    )


def whole(pairs, importance=None, **others) -> WholeJoin:
    """What there is to gain, as rows of (exact, same step)."""
    pairs = np.array(pairs)
    return WholeJoin(
        pairs=pairs,
        importance=pairs * 1.0 if importance is None else np.array(importance),
        **{
            "weight_of_a_pair": 1.0,
            "group_labels": None,
            "time_unit": None,
            "count_same_step": False,
            **others,
        },
    )


def test_recall_and_what_is_undefined():
    measures = join_measures(facts([3]), whole([[4, 2]]))
    assert (measures["exact"], measures["results"], measures["recall"]) == (4, 3, 0.75)
    assert (measures["importance"], measures["importance_recall"]) == (3.0, 0.75)
    assert measures["same_step_results"] == 2
    undefined = ("fairness", "occupancy_left", "mean_lifetime", "groups", "worst_group")
    assert all(measures[name] is None for name in undefined)
    nothing = join_measures(facts([0]), whole([[0, 2]]))
    assert (nothing["recall"], nothing["importance_recall"]) == (None, None)


def test_same_step_results_count_on_both_sides():
    weighed = whole([[4, 2]], [[8.0, 1.0]], count_same_step=True)
    measures = join_measures(facts([3], [5.0]), weighed)
    assert (measures["exact"], measures["results"]) == (6, 5)
    assert (measures["exact_importance"], measures["importance"]) == (9.0, 6.0)


def test_pairs_of_plain_tuples_weigh_the_same():
    measures = join_measures(facts([3]), whole([[4, 0]], [[8.0, 0.0]], weight_of_a_pair=2.0))
    assert (measures["importance"], measures["importance_recall"]) == (6.0, 0.75)


def test_rounding_never_shows():
    exact = 0.1 + 0.2 + 0.3
    other_order = 0.3 + 0.2 + 0.1
    assert exact != other_order
    complete = join_measures(facts([3], [other_order]), whole([[3, 0]], [[exact, 0.0]]))
    assert (complete["importance"], complete["importance_recall"]) == (exact, 1.0)
    # The pair that is missing weighs nothing.
    nearly = join_measures(facts([3], [exact]), whole([[4, 0]], [[other_order, 0.0]]))
    assert (nearly["importance"], nearly["importance_recall"]) == (other_order, 1.0)


def test_sums_beyond_all_numbers_are_undefined():
    measures = join_measures(facts([1, 1], [1e308, 1e308]), whole([[2, 0]] * 2, [[1.7e308, 0]] * 2))
    assert measures["exact_importance"] is None
    assert measures["importance_recall"] is None


def test_groups():
    lives = np.array([[2.0, 4.0, 16.0], [0.0, 0.0, 0.0], [1.0, 3.0, 9.0]])
    measures = join_measures(
        facts([1, 0, 1], lives=lives),
        whole([[2, 0], [0, 1], [2, 0]], group_labels=("z", "q", "a")),
    )
    assert [entry["group"] for entry in measures["groups"]] == ["a", "q", "z"]
    assert [entry["recall"] for entry in measures["groups"]] == [0.5, None, 0.5]
    assert [entry["fairness"] for entry in measures["groups"]] == [1.0, None, 0.5]
    assert measures["worst_group"] == "a"
    assert measures["fairness"] == 49 / 75
    assert measures["mean_lifetime"] == 7 / 3


def test_worst_group():
    assert worst_group([{"group": "a", "recall": None}, {"group": "b", "recall": 0.5}]) == "b"
    assert worst_group([{"group": 1, "recall": 0.5}, {"group": 2, "recall": 0.5}]) == 1
    assert worst_group([]) is None


@pytest.mark.parametrize(
    ("lives", "expected"),
    [((0, 0, 0), None), ((3, 0, 0), None), ((1, 7, 49), 1.0), ((2, 2, 4), 0.5)],
)
def test_fairness(lives, expected):
    assert fairness(*lives) == expected


def test_fairness_of_equal_long_lifetimes_is_one():
    life = float(3**30)  # its square has more digits than a double
    assert fairness(3, 3 * life, 3 * life * life) == pytest.approx(1, abs=1e-15)
    assert fairness(3, 3 * life, 3 * life * life) <= 1


@pytest.mark.parametrize(
    ("unit", "expected"), [(None, 1500.0), ("s", 1500.0), ("ms", 1.5), ("us", 0.0015)]
)
def test_lifetimes_of_timestamps_are_in_seconds(unit, expected):
    assert mean_lifetime(2, 3000, unit) == expected
    assert mean_lifetime(0, 0, unit) is None


def test_share():
    assert (share(1, 4), share(0, 0), share(5, 5)) == (0.25, None, 1.0)


def test_caching():
    lives = Lifetimes(number=4, total=8.0, squares=32.0)
    measures = caching_measures(CachingFacts(10, 4, 3, 1, lives), "ms")
    assert measures == {
        "references": 10,
        "hits": 4,
        "hit_ratio": 0.4,
        "evicted": 3,
        "dropped": 1,
        "mean_lifetime": 0.002,
        "fairness": 0.5,
    }


def test_interval_by_the_table_of_student():
    # t(0.975, 2 degrees of freedom) = 4.302653, deviation 1, three values.
    found = interval([1.0, 2.0, 3.0])
    assert found["mean"] == 2.0
    assert found["high"] - 2.0 == pytest.approx(4.302653 / 3**0.5, rel=1e-6)
    assert 2.0 - found["low"] == pytest.approx(found["high"] - 2.0)
    assert interval([0.5, 0.5]) == {"mean": 0.5, "low": 0.5, "high": 0.5}
    assert interval([0.5, None]) is None
