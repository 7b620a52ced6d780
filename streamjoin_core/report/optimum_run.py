"""From an optimum to a run of the report, with the measures that it decides."""

from dataclasses import dataclass, fields
from math import isclose

import numpy as np

from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import weight_of_a_pair
from streamjoin_core.optimal.solution import Optimum
from streamjoin_core.partitions.work import Gains
from streamjoin_core.plan import Plan
from streamjoin_core.report.measures import WholeJoin, join_measures
from streamjoin_core.report.optimum import OptimumRun
from streamjoin_core.trace.trace import Trace

_RESULTS, _IMPORTANCE = ("results", "recall"), ("importance", "importance_recall")
_MEASURED = ("exact", "exact_importance", "same_step_results", *_RESULTS, *_IMPORTANCE)
_ROUNDING = 1e-12  # of importances that are no whole numbers of units


@dataclass(frozen=True, eq=False)
class Basis:
    """What all runs of a report rest on."""

    plan: Plan
    trace: Trace  # of which only the kinds of columns are looked at
    graph: str
    is_exact: bool  # whether the objective is a whole number of the solver's units
    gains: Gains

    @property
    def objective(self) -> str:
        return self.plan.policies[0][1].objective


def optimum_run(basis: Basis, best: Optimum, nodes: int | None, arcs: int | None) -> OptimumRun:
    """The run of one memory, whose optimum or bounds are known."""
    whole = _whole(basis)
    lower, upper = (_unrounded(basis, side, whole) for side in (best.lower, best.upper))
    reached = _measures(basis, lower, whole)
    name = basis.objective
    unknown = _unknown(basis, reached)
    policy, params = basis.plan.policies[0]
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
            "upper": min(limit, _measures(basis, upper, whole)[name]),
            "graph": basis.graph,
            "nodes": nodes,
            "arcs": arcs,
        }
    )


def _whole(basis: Basis) -> WholeJoin:
    """What there was to gain; groups do not matter."""
    return WholeJoin(
        pairs=basis.gains.pairs.sum(axis=0, keepdims=True),
        importance=basis.gains.importance.sum(axis=0, keepdims=True),
        weight_of_a_pair=weight_of_a_pair(basis.plan.combine),
        group_labels=None,
        time_unit=basis.trace.time_unit,
        count_same_step=basis.plan.count_same_step,
    )


def _unrounded(basis: Basis, value: int | float, whole: WholeJoin) -> int | float:
    """Where all is reached but for the rounding to units, all is reached."""
    if basis.objective == "results" or basis.is_exact:
        return value
    everything = float(whole.importance[0, 0])
    return everything if isclose(value, everything, rel_tol=_ROUNDING) else value


def _measures(basis: Basis, value: int | float, whole: WholeJoin) -> dict:
    """All measures if the objective has this value; those that it does not decide mean nothing."""
    weighs = basis.trace.importance is not None
    if basis.objective == "results":
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


def _unknown(basis: Basis, reached: dict) -> tuple[str, ...]:
    """The measures that the objective does not decide."""
    if basis.trace.importance is None:
        return ()
    if basis.objective == "importance":
        return _RESULTS
    return () if reached["results"] == reached["exact"] else _IMPORTANCE
