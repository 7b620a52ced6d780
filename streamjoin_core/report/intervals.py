"""How far chance moves a measure: mean and 95 % confidence interval over seeds."""

from collections.abc import Iterable
from itertools import groupby
from math import fsum, sqrt

from streamjoin_core.report.report import CachingRun, JoinRun

_JOIN_MEASURES = ("recall", "importance_recall", "fairness")
_CACHING_MEASURES = ("hit_ratio", "fairness")


def summarise(runs: Iterable[JoinRun | CachingRun]) -> tuple[dict, ...]:
    """One summary per policy and memory with several seeds, of runs in the order of the report."""
    summaries = []
    for (label, mem), group in groupby(runs, key=lambda run: (run.label, run.mem)):
        seeds = list(group)
        if len(seeds) > 1:
            names = _JOIN_MEASURES if isinstance(seeds[0], JoinRun) else _CACHING_MEASURES
            summaries.append(
                {
                    "policy": seeds[0].policy,
                    "label": label,
                    "mem": mem,
                    "seeds": len(seeds),
                    **{name: interval([getattr(run, name) for run in seeds]) for name in names},
                }
            )
    return tuple(summaries)


def interval(values: list[float | None]) -> dict | None:
    """Mean and 95 % interval by Student's t; undefined if any value is."""
    if None in values:
        return None
    number = len(values)
    mean = fsum(values) / number
    deviation = sqrt(fsum((value - mean) ** 2 for value in values) / (number - 1))
    half = _quantile(number - 1) * deviation / sqrt(number)
    return {"mean": mean, "low": mean - half, "high": mean + half}


def _quantile(freedom: int) -> float:
    from scipy.special import stdtrit

    # Rounded, since its last digits may differ between versions and machines.
    return round(float(stdtrit(freedom, 0.975)), 9)
