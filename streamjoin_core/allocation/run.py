"""From the question how to divide a memory to its answer, replayed."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite

import numpy as np

from streamjoin_core.age.given import CurveSource, find_curves, parse_source
from streamjoin_core.allocation.divide import divide_fairly, divide_in_proportion
from streamjoin_core.allocation.recalls import CURVES, Shared, recall_curve
from streamjoin_core.asked import ask_join, asked_options
from streamjoin_core.engine.joining import Join
from streamjoin_core.errors import InputError
from streamjoin_core.models.given import given_model
from streamjoin_core.options import Split, one_of, parse_split, whole_number
from streamjoin_core.parameters import Parameters
from streamjoin_core.policies.base import Policy
from streamjoin_core.policies.registry import parse_policy
from streamjoin_core.progress import Progress, silent

METHODS = ("alloc", "prop")


@dataclass(frozen=True)
class JoinShare:
    """What one join gets; undefined measures are None."""

    path: str
    weight: float
    exact: int
    need: int  # memory that holds its windows
    mem: int
    predicted_recall: float
    recall: float | None
    proportional_mem: int
    proportional_recall: float | None


@dataclass(frozen=True)
class Allocation:
    options: dict
    joins: tuple[JoinShare, ...]
    smallest: float | None  # recall / weight of the worst join
    smallest_predicted: float
    smallest_proportional: float | None

    def as_dict(self) -> dict:
        return asdict(self)


def alloc(
    traces: Sequence,
    *,
    mem: int,
    weights: str | Sequence[float] | None = None,
    method: str = "alloc",
    policy: str = "age",
    curve: str = "theory",
    split: str = "shared",
    age_curve="learn",
    seed: int = 0,
    progress: Progress | None = None,
    **joining,
) -> Allocation:
    """Divide memory among joins so that the smallest recall, over its weight, is largest.

    `curve` says where recall over memory is from: theory (of policies age and prob), measured by
    replays, or optimal. The result is replayed, and compared with a division in proportion to what
    each join would need. Other options are those of `replay`.
    """
    progress = progress or silent
    one_of("method", method, METHODS)
    one_of("curve", curve, CURVES)
    mem = whole_number("memory", mem, least=1)
    seed = whole_number("seed", seed, least=0)
    if not traces:
        raise InputError("there is no join to give memory to: name its trace")
    shares = _weights(weights, len(traces))
    chosen, params = parse_policy(policy)
    if chosen.joining is None:
        raise InputError(f"policy {chosen.name!r} is not for joining: choose another")
    divided, source = parse_split(split), parse_source(age_curve)
    joins = [ask_join(trace, progress=progress, **joining) for trace in traces]
    asked = [_shared(join, chosen, params, divided, source, seed) for join in joins]
    recalls = []
    for done, one in enumerate(asked):
        progress("finding recall over memory", done, len(asked))
        recalls.append(recall_curve(one, curve, mem))
    proportional = divide_in_proportion([one.need for one in asked], mem)
    given = divide_fairly(recalls, shares, mem) if method == "alloc" else proportional
    found = tuple(map(_share, asked, shares, recalls, given, proportional))
    options = {"mem": mem, "method": method, "policy": chosen.label(params), "curve": curve}
    options |= {"split": divided.text, **asked_options(joins[0]), "seed": seed}
    return Allocation(
        options=options,
        joins=found,
        smallest=min(one.recall / one.weight for one in found),
        smallest_predicted=min(one.predicted_recall / one.weight for one in found),
        smallest_proportional=min(one.proportional_recall / one.weight for one in found),
    )


def _shared(
    join: Join, policy: Policy, params: Parameters, split: Split, source: CurveSource, seed: int
) -> Shared:
    """A join as it will be replayed; refuses what it lacks for that."""
    if "window" in policy.needs and not join.has_window:
        raise InputError(f"policy {policy.name!r} needs a window: give --window")
    model = given_model(None, join.trace, 2)
    needs_curves = split.is_auto or "age-curve" in policy.needs
    curves = find_curves(source, join) if needs_curves else None
    shared = Shared(join, policy, params, split, curves, model.entries if model else None, seed)
    if shared.exact == 0:
        raise InputError(f"{join.trace.origin} has no results, so no recall: leave it out")
    return shared


def _share(
    shared: Shared, weight: float, recall: np.ndarray, given: int, proportional: int
) -> JoinShare:
    return JoinShare(
        path=shared.join.trace.origin,
        weight=weight,
        exact=shared.exact,
        need=shared.need,
        mem=given,
        predicted_recall=float(recall[min(given, len(recall) - 1)]),
        recall=shared.measured(given),
        proportional_mem=proportional,
        proportional_recall=shared.measured(proportional),
    )


def _weights(given: str | Sequence[float] | None, number: int) -> list[float]:
    if given is None:
        return [1.0] * number
    try:
        listed = given.split(",") if isinstance(given, str) else given
        weights = [float(weight) for weight in listed]
    except ValueError:
        weights = []
    if not weights or not all(isfinite(weight) and weight > 0 for weight in weights):
        raise InputError(f"weights {given!r} are not numbers above 0: give some such as 1,2")
    if len(weights) != number:
        raise InputError(f"there are {len(weights)} weights for {number} joins: give one for each")
    return weights
