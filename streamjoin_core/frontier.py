"""The frontier of a policy: which of its settings give the most importance for their fairness.

Importing this costs nothing; the engine is loaded by the first call.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from streamjoin_core.errors import InputError
from streamjoin_core.replay import replay

if TYPE_CHECKING:
    from streamjoin_core.report.report import JoinRun, Report

MEASURES = ("fairness", "importance_recall")
_MOST_SETTINGS = 10_000


@dataclass(frozen=True)
class Frontier:
    """All settings of a policy, and others beside it."""

    report: "Report"
    settings: tuple["JoinRun", ...]
    others: tuple["JoinRun", ...]
    is_efficient: tuple[bool, ...]  # of each setting: none is better in one and as good in both

    def as_dict(self) -> dict:
        """The report as its JSON has it, with the labels of the efficient settings."""
        chosen = zip(self.settings, self.is_efficient, strict=True)
        return self.report.as_dict() | {
            "efficient": [run.label for run, is_best in chosen if is_best]
        }


def find_frontier(
    trace,
    *,
    policy: str = "ijoin",
    vary: Mapping[str, str | Iterable],
    mem: int,
    beside: str | list[str] = "fifo,rand,size,greedy",
    **options,
) -> Frontier:
    """Replay a policy with all combinations of some parameters, and others beside it.

    `vary` has values by parameter: a list, or a text such as 0:10:2 or 1s,5s. The rest of the
    options are those of `replay`.

    >>> from streamjoin_core import trace_from_arrays
    >>> trace = trace_from_arrays([1, 2, 3, 4], ["a", "b", "a", "b"], ["R", "R", "S", "S"])
    >>> found = find_frontier(trace, vary={"tau": "0:1"}, mem=2, beside="fifo")
    >>> [(run.label, run.results) for run in found.report.runs]
    [('ijoin:tau=0', 1), ('ijoin:tau=1', 1), ('fifo', 2)]
    """
    from streamjoin_core.policies.registry import parse_policy

    grid = {name: list(parse_values(values)) for name, values in vary.items()}
    if not grid:
        raise InputError("nothing varies: give a parameter and its values, such as tau=0:10:2")
    settings = settings_of(policy, grid)
    if len(settings) > _MOST_SETTINGS:
        raise InputError(f"{len(settings):,} settings are too many: give larger steps")
    others = [beside] if isinstance(beside, str) else list(beside)
    report = replay(trace, policy=[*settings, *filter(None, others)], mem=mem, **options)
    labels = {one.label(params) for one, params in map(parse_policy, settings)}
    varied = tuple(run for run in report.runs if run.label in labels)
    rest = tuple(run for run in report.runs if run.label not in labels)
    return Frontier(report, varied, rest, efficient(varied))


def settings_of(policy: str, grid: Mapping[str, list]) -> list[str]:
    """The policy with each combination of values.

    >>> settings_of("ijoin:c=2", {"tau": [0, 1], "delta": ["5s"]})
    ['ijoin:c=2,tau=0,delta=5s', 'ijoin:c=2,tau=1,delta=5s']
    """
    joint = "," if ":" in policy else ":"
    return [
        policy
        + joint
        + ",".join(f"{name}={value}" for name, value in zip(grid, values, strict=True))
        for values in product(*grid.values())
    ]


def parse_varied(given: Iterable[str]) -> dict[str, str]:
    """Values by parameter from texts such as tau=0:10:2."""
    varied = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals:
            raise InputError(f"{text!r} names no values: write KEY=VALUES, such as tau=0:10:2")
        varied[name.strip()] = values
    return varied


def parse_values(given: str | Iterable) -> list:
    """Values of a parameter: a list, or whole numbers from first to last.

    >>> parse_values("0:10:5"), parse_values("1s,2.5s"), parse_values([1, 2])
    ([0, 5, 10], ['1s', '2.5s'], [1, 2])
    """
    if not isinstance(given, str):
        return list(given)
    parts = given.split(":")
    if len(parts) == 1:
        return [piece.strip() for piece in given.split(",") if piece.strip()]
    try:
        first, last, step = (*map(int, parts), 1)[:3]
        values = list(range(first, last + 1, step))
    except ValueError:
        values = []
    if len(parts) > 3 or not values:
        raise InputError(f"{given!r} is no range of values: write FIRST:LAST:STEP, or a list")
    return values


def efficient(runs: tuple["JoinRun", ...]) -> tuple[bool, ...]:
    """Whether each run is on the frontier: nobody has more of one and no less of the other."""
    points = [tuple(getattr(run, measure) for measure in MEASURES) for run in runs]
    return tuple(
        None not in point
        and not any(
            None not in other
            and all(a >= b for a, b in zip(other, point, strict=True))
            and other != point
            for other in points
        )
        for point in points
    )
