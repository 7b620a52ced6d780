"""Two reports side by side: what differs, and whether chance may be behind it."""

import json
import os
from dataclasses import asdict, dataclass
from math import fsum, sqrt
from pathlib import Path

from streamjoin_core.errors import InputError
from streamjoin_core.files import reason
from streamjoin_core.policies.registry import find_policy
from streamjoin_core.report.report import json_ready

MEASURES = ("recall", "importance_recall", "ratio_to_opt", "hit_ratio", "fairness")
_LEVEL = 0.05


@dataclass(frozen=True)
class Difference:
    """One measure of one policy with one memory: means over the seeds that both have."""

    label: str
    mem: int | None
    measure: str
    seeds: int
    first: float | None
    second: float | None
    change: float | None
    p: float | None  # of the paired t-test over seeds; None where chance has no part or is unknown
    is_significant: bool | None  # None: unknown, since there is one seed only


@dataclass(frozen=True)
class Comparison:
    paths: tuple[str, str]
    same_trace: bool
    options: dict[str, tuple]  # those that differ
    differences: tuple[Difference, ...]
    only_first: tuple[str, ...]  # runs without a counterpart
    only_second: tuple[str, ...]

    def as_dict(self) -> dict:
        return json_ready(asdict(self))


def compare(first: str | os.PathLike, second: str | os.PathLike) -> Comparison:
    """Compare two reports that `replay`, `sweep` or `opt_offline` wrote as JSON."""
    one, other = _read(first), _read(second)
    own, others = _by_run(one), _by_run(other)
    differences = [
        _difference(run, measure, own[run], others[run])
        for run in own
        if run in others
        for measure in MEASURES
        if _is_told(measure, own[run], others[run])
    ]
    names = one["options"] | other["options"]
    return Comparison(
        paths=(str(first), str(second)),
        same_trace=one["trace"]["fingerprint"] == other["trace"]["fingerprint"],
        options={
            name: (one["options"].get(name), other["options"].get(name))
            for name in names
            if one["options"].get(name) != other["options"].get(name)
        },
        differences=tuple(differences),
        only_first=_without(own, others),
        only_second=_without(others, own),
    )


def _read(path: str | os.PathLike) -> dict:
    try:
        report = json.loads(Path(path).read_text(encoding="utf-8"))
        runs = [(run["policy"], run["label"], run["mem"], run["seed"]) for run in report["runs"]]
        if report["trace"]["fingerprint"] and isinstance(report["options"], dict) and runs:
            return report
    except OSError as error:
        raise InputError(f"cannot read {path}: {reason(error)}") from error
    except (ValueError, KeyError, TypeError):
        pass
    raise InputError(f"cannot read {path}: it is no report; sjoin replay --json prints one")


def _by_run(report: dict) -> dict[tuple, dict[int, dict]]:
    """Runs by policy and memory, then by seed."""
    runs: dict = {}
    for run in report["runs"]:
        runs.setdefault((run["label"], run["mem"]), {})[run["seed"]] = run
    return runs


def _without(runs: dict, others: dict) -> tuple[str, ...]:
    return tuple(f"{label} {mem}" for label, mem in runs if (label, mem) not in others)


def _is_told(measure: str, own: dict, others: dict) -> bool:
    """Whether a measure is known on either side, and tells more than recall does."""
    runs = [*own.values(), *others.values()]
    if all(run.get(measure) is None for run in runs):
        return False
    return measure != "importance_recall" or any(run[measure] != run["recall"] for run in runs)


def _difference(run: tuple, measure: str, own: dict, others: dict) -> Difference:
    seeds = [seed for seed in own if seed in others]
    pairs = [(own[seed].get(measure), others[seed].get(measure)) for seed in seeds]
    known = bool(pairs) and all(None not in pair for pair in pairs)
    label, mem = run
    if not known:
        ends = [next(iter(side.values())).get(measure) for side in (own, others)]
        return Difference(label, mem, measure, len(seeds), *ends, None, None, None)
    first, second = (fsum(side) / len(seeds) for side in zip(*pairs, strict=True))
    changes = [other - one for one, other in pairs]
    policy = next(iter(own.values()))["policy"]
    p, is_significant = _judge(changes, find_policy(policy).is_random)
    change = fsum(changes) / len(changes)
    return Difference(label, mem, measure, len(seeds), first, second, change, p, is_significant)


def _judge(changes: list[float], is_random: bool) -> tuple[float | None, bool | None]:
    """Without chance every change is one; else by the paired t-test."""
    number = len(changes)
    if len(set(changes)) == 1:
        if is_random and number == 1 and changes[0]:
            return None, None
        return None, changes[0] != 0
    from scipy.special import stdtr

    mean = fsum(changes) / number
    deviation = sqrt(fsum((change - mean) ** 2 for change in changes) / (number - 1))
    p = round(2 * float(stdtr(number - 1, -abs(mean) * sqrt(number) / deviation)), 9)
    return p, p < _LEVEL
