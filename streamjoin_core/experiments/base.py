"""What an experiment is, what it is asked, and what it finds."""

from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from typing import NamedTuple

from streamjoin_core.progress import Progress, silent
from streamjoin_core.report.intervals import interval

Place = float | str  # where on the x axis: a number, or the name of a case


class Estimate(NamedTuple):
    """A mean over runs with its 95 % interval, of which there is none for a single run."""

    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Curve:
    """What one policy, or whatever else is compared, gave at each place."""

    label: str
    values: dict[Place, tuple[float, ...]]  # one for each run, in the same order in all curves

    def estimate(self, place: Place) -> Estimate | None:
        """None where nothing was measured, or something undefined."""
        values = self.values.get(place)
        if not values or None in values:
            return None
        if len(values) == 1:
            return Estimate(float(values[0]), None, None)
        return Estimate(**interval(list(values)))

    def mean(self, place: Place) -> float | None:
        found = self.estimate(place)
        return found and found.mean


@dataclass(frozen=True)
class Panel:
    """Curves over one axis: a part of the picture, a table, and rows of the output file."""

    title: str
    x: str  # what is along the axis
    y: str  # what was measured
    curves: tuple[Curve, ...]
    bars: bool = False  # groups of bars, for places that are cases rather than numbers
    digits: int = 0  # decimals that are worth showing

    def places(self) -> list[Place]:
        """All places, in the order in which they were measured."""
        return list(dict.fromkeys(place for curve in self.curves for place in curve.values))

    def curve(self, label: str) -> Curve:
        return next(curve for curve in self.curves if curve.label == label)

    def number(self, value: float) -> str:
        return f"{value:,.{self.digits}f}"


@dataclass(frozen=True)
class Claim:
    """What a paper says, and whether that came out."""

    text: str
    holds: bool
    found: str


@dataclass(frozen=True)
class Findings:
    panels: tuple[Panel, ...]
    claims: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = ()  # what a reader must know to judge the numbers


@dataclass(frozen=True)
class Setup:
    """What an experiment is asked: its own defaults, unless the user wants otherwise."""

    runs: int = 1
    seed: int = 0
    steps: int | None = None  # length of each trace
    data: str | PathLike | None = None
    jobs: int = 1
    progress: Progress = field(default=silent, repr=False)


@dataclass(frozen=True)
class Experiment:
    """Something to find out again; `find` does it.

    `runs` and `steps` are defaults, None where there is nothing random, or no trace of free length;
    `data` says which file it needs, if it needs one.
    """

    name: str
    summary: str
    paper: str
    find: Callable[[Setup], Findings]
    runs: int | None = None
    steps: int | None = None
    least_steps: int = 1  # with fewer, nothing would be left to measure
    paper_runs: int | None = None  # how many the paper had
    data: str | None = None
