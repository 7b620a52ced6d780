"""From an optimum to a run of the report, with the measures that it decides."""

from dataclasses import fields
from math import isclose
from typing import TYPE_CHECKING

import numpy as np

from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.optimal.solution import Optimum
from streamjoin_core.report.measures import WholeJoin, join_measures
from streamjoin_core.report.optimum import OptimumRun

if TYPE_CHECKING:
    from streamjoin_core.optimise import Question

_RESULTS, _IMPORTANCE = ("results", "recall"), ("importance", "importance_recall")
_MEASURED = ("exact", "exact_importance", "same_step_results", *_RESULTS, *_IMPORTANCE)
_ROUNDING = 1e-12  # of importances that are no whole numbers of units


def optimum_run(
    question: "Question", best: Optimum, nodes: int | None, arcs: int | None
) -> OptimumRun:
    """The run of one memory, whose optimum or bounds are known."""
    whole = _whole(question)
    lower, upper = (_unrounded(question, side, whole) for side in (best.lower, best.upper))
    reached = _measures(question, lower, whole)
    name = question.objective
    unknown = _unknown(question, reached)
    policy, params = question.plan.policies[0]
    limit = reached["exact" if name == "results" else "exact_importance"]
    uncounted = {field.name: None for field in fields(OptimumRun)}
    return OptimumRun(
        **uncounted
        | {key: reached[key] for key in _MEASURED}
        | dict.fromkeys(unknown)
        | {
            "policy": policy.name,
            "label": policy.label(params),
            "params": params.as_dict(),
            "mem": best.mem,
            "seed": 0,
            "status": best.status,
            "lower": reached[name],
            "upper": min(limit, _measures(question, upper, whole)[name]),
            "graph": question.graph,
            "nodes": nodes,
            "arcs": arcs,
        }
    )


def _whole(question: "Question") -> WholeJoin:
    """What there was to gain; groups do not matter."""
    join = question.join
    return WholeJoin(
        pairs=join.unlimited.groups.sum(axis=0, keepdims=True),
        importance=join.exact_importance.sum(axis=0, keepdims=True),
        weight_of_a_pair=join.weight_of_a_pair,
        group_labels=None,
        time_unit=question.trace.time_unit,
        count_same_step=question.plan.count_same_step,
    )


def _unrounded(question: "Question", value: int | float, whole: WholeJoin) -> int | float:
    """Where all is reached but for the rounding to units, all is reached."""
    if question.objective == "results" or question.benefit.is_exact:
        return value
    everything = float(whole.importance[0, 0])
    return everything if isclose(value, everything, rel_tol=_ROUNDING) else value


def _measures(question: "Question", value: int | float, whole: WholeJoin) -> dict:
    """All measures if the objective has this value; those that it does not decide mean nothing."""
    weighs = question.trace.importance is not None
    if question.objective == "results":
        results, importance = value, 0.0
    else:
        results = 0 if weighs else round(value / whole.weight_of_a_pair)
        importance = value
    nobody = {name: 0 for name in JoinFacts.__dataclass_fields__}
    facts = nobody | {
        "results": np.array([results], np.int64),
        "importance": np.array([importance]) if weighs else None,
        "lives": np.zeros((1, 3)),
    }
    return join_measures(JoinFacts(**facts), whole)


def _unknown(question: "Question", reached: dict) -> tuple[str, ...]:
    """The measures that the objective does not decide."""
    if question.trace.importance is None:
        return ()
    if question.objective == "importance":
        return _RESULTS
    return () if reached["results"] == reached["exact"] else _IMPORTANCE
