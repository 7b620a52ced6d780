"""Measures: pure functions on what a replay observed. What is undefined is None."""

from dataclasses import dataclass
from math import fsum, inf, isfinite

import numpy as np

from streamjoin_core.engine.facts import CachingFacts, JoinFacts
from streamjoin_core.trace.units import UNITS_PER_SECOND

_EXACT, _SAME_STEP = 0, 1
LOSSES = ("never_admitted", "evicted", "expired")  # causes, each a count of the facts


@dataclass(frozen=True, eq=False)
class WholeJoin:
    """What there was to gain.

    Arrays are [group, (exact, same step)], and without groups all is of one.
    """

    pairs: np.ndarray
    importance: np.ndarray
    weight_of_a_pair: float  # where every tuple weighs the same
    group_labels: tuple | None  # None without groups
    time_unit: str | None
    count_same_step: bool  # whether pairs within a step count as results


def join_measures(facts: JoinFacts, whole: WholeJoin) -> dict:
    """All measures of a run of the joining problem."""
    results, importance = _gained(facts, whole)
    exact, exact_importance = _to_gain(whole)
    groups = None
    if whole.group_labels is not None:
        groups = [
            {
                "group": label,
                **_recalls(exact[row], results[row], exact_importance[row], importance[row]),
                "fairness": fairness(*facts.lives[row]),
            }
            for row, label in sorted(enumerate(whole.group_labels), key=lambda entry: entry[1])
        ]
    lives = facts.lives.sum(axis=0)
    return {
        **_recalls(exact.sum(), results.sum(), _total(exact_importance), _total(importance)),
        "same_step_results": int(whole.pairs[:, _SAME_STEP].sum()),
        "fairness": fairness(*lives),
        "occupancy_left": share(facts.left_share_total, facts.steps_with_tuples),
        "evicted": facts.evicted,
        "dropped": facts.dropped,
        "expired": facts.expired,
        "mean_lifetime": mean_lifetime(lives[0], lives[1], whole.time_unit),
        "recomputations": facts.recomputations,
        "losses": {cause: getattr(facts, f"lost_{cause}") for cause in LOSSES},
        "groups": groups,
        "worst_group": worst_group(groups),
    }


def caching_measures(facts: CachingFacts, time_unit: str | None) -> dict:
    """All measures of a run of the caching problem."""
    lives = facts.lifetimes
    return {
        "references": facts.references,
        "hits": int(facts.hits),
        "hit_ratio": share(facts.hits, facts.references),
        "evicted": int(facts.evicted),
        "dropped": int(facts.dropped),
        "mean_lifetime": mean_lifetime(lives.number, lives.total, time_unit),
        "fairness": fairness(lives.number, lives.total, lives.squares),
    }


def _gained(facts: JoinFacts, whole: WholeJoin) -> tuple[np.ndarray, np.ndarray]:
    """Results and their importance per group.

    A loop adds importances in another order than the whole join does: where nothing is lost, and
    wherever rounding would exceed it, the whole join's sum holds.
    """
    most = whole.importance[:, _EXACT]
    if facts.importance is None:
        importance = facts.results * whole.weight_of_a_pair
    else:
        importance = np.minimum(facts.importance, most)
    importance = np.where(facts.results == whole.pairs[:, _EXACT], most, importance)
    if not whole.count_same_step:
        return facts.results, importance
    return (
        facts.results + whole.pairs[:, _SAME_STEP],
        importance + whole.importance[:, _SAME_STEP],
    )


def _to_gain(whole: WholeJoin) -> tuple[np.ndarray, np.ndarray]:
    if whole.count_same_step:
        return whole.pairs.sum(axis=1), whole.importance.sum(axis=1)
    return whole.pairs[:, _EXACT], whole.importance[:, _EXACT]


def _recalls(exact, results, exact_importance, importance) -> dict:
    return {
        "exact": int(exact),
        "results": int(results),
        "recall": share(results, exact),
        "exact_importance": _finite(exact_importance),
        "importance": _finite(importance),
        "importance_recall": share(importance, exact_importance),
    }


def share(part: float, whole: float) -> float | None:
    """part / whole, which is at most 1; undefined when the whole is 0."""
    if not 0 < whole < inf:
        return None
    return min(1.0, float(part / whole))


def fairness(number: float, total: float, squares: float) -> float | None:
    """Jain's index over lifetimes; undefined when nobody left, or all lived no time at all."""
    if squares == 0:
        return None
    # As whole numbers, which lifetimes are, since their division rounds only once.
    return min(1.0, int(total) ** 2 / (int(number) * int(squares)))


def mean_lifetime(number: float, total: float, time_unit: str | None) -> float | None:
    """In seconds for timestamps, else in units of time; undefined when nobody left."""
    if number == 0:
        return None
    return int(total) / (int(number) * UNITS_PER_SECOND[time_unit])


def worst_group(groups: list[dict] | None):
    """The label of the group with the lowest recall, the first among equals."""
    judged = [entry for entry in groups or () if entry["recall"] is not None]
    return min(judged, key=lambda entry: entry["recall"])["group"] if judged else None


def _total(values: np.ndarray) -> float:
    """The sum, rounded once, so that it is the same on every machine."""
    try:
        return fsum(values.tolist())
    except OverflowError:
        return inf


def _finite(value: float) -> float | None:
    return float(value) if isfinite(value) else None
