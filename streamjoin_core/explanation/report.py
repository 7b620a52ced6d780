"""The explanation of a run's losses, as the JSON has it."""

from dataclasses import asdict, dataclass

from streamjoin_core.report.chart import Chart
from streamjoin_core.report.report import json_ready


@dataclass(frozen=True)
class Cause:
    cause: str
    tuples: int  # that left so and lost something
    lost: int  # pairs
    had_by_optimum: int | None
    beside_idle: int  # lost while memory held another that gave nothing from then on


@dataclass(frozen=True)
class Stream:
    stream: str | int | bool
    arrivals: int
    lost: int
    had_by_optimum: int | None


@dataclass(frozen=True)
class Key:
    key: str | int | float
    exact: int
    results: int
    lost: int
    had_by_optimum: int | None


@dataclass(frozen=True)
class Period:
    """Steps one after the other; pairs belong to their later tuple."""

    start: int  # its first time as the trace has it
    first_time: str | int  # the same, readable
    last_time: str | int
    exact: int
    results: int
    optimum: int | None


@dataclass(frozen=True)
class Decision:
    """A tuple that left, and what that cost."""

    row: int
    time: str | int  # arrival
    stream: str | int | bool
    key: str | int | float
    cause: str
    left_at: str | int
    produced: int
    lost: int
    had_by_optimum: int | None
    stayed_row: int | None  # the tuple that had to go if this one had not; None if drawn by lot
    stayed_key: str | int | float | None
    stayed_produced: int | None  # what that one gave from then on


@dataclass(frozen=True)
class Explanation:
    trace: dict
    options: dict
    label: str
    mem: int
    exact: int
    results: int
    optimum: int | None
    only_optimum: int | None  # pairs that the optimum has and the run has not
    only_run: int | None  # the other way round
    causes: tuple[Cause, ...]
    streams: tuple[Stream, ...]
    keys: tuple[Key, ...]  # those with the largest losses
    periods: tuple[Period, ...]
    worst: tuple[Decision, ...]

    @property
    def lost(self) -> int:
        return self.exact - self.results

    def as_dict(self) -> dict:
        return json_ready(asdict(self))

    def chart(self) -> Chart:
        """Recall over time, and the optimum's."""
        from streamjoin_core.explanation.charts import recall_chart

        return recall_chart(self)
