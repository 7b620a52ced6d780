"""The report of an inspection. What is undefined is None.

Lengths of time and rates are in seconds for timestamps, else in the trace's own unit; points in
time are ISO texts for timestamps, else integers.
"""

from dataclasses import asdict, dataclass

from streamjoin_core.report.report import json_ready

SCHEMA_VERSION = 1

Moment = int | str


@dataclass(frozen=True)
class Times:
    """When tuples arrived."""

    unit: str | None  # of all lengths of time here: "s" for timestamps
    first: Moment | None
    last: Moment | None
    duration: int | float | None  # from first to last
    steps: int
    arrivals_per_step_mean: float | None
    arrivals_per_step_max: int | None


@dataclass(frozen=True)
class TopKey:
    key: int | float | str
    count: int
    share: float  # of the stream's rows


@dataclass(frozen=True)
class Trend:
    """The least-squares line of key over time."""

    slope: float | None  # in key units per unit of time
    r_squared: float | None  # the share of the keys' variance that the line explains


@dataclass(frozen=True)
class Stream:
    label: int | str | bool
    rows: int
    rate: float | None  # rows per unit of time
    mean_gap: float | None  # between this stream's arrivals
    distinct_keys: int
    top_keys: tuple[TopKey, ...]
    top_1_percent_share: float  # of the rows: those of the most frequent 1 % of the keys
    top_10_percent_share: float
    zipf_exponent: float | None  # an estimate: least squares of log frequency over log rank
    trend: Trend | None  # None for keys that are strings


@dataclass(frozen=True)
class Keys:
    """How many distinct keys there are."""

    distinct: int
    left: int
    right: int
    both: int  # in both streams


@dataclass(frozen=True)
class Joining:
    """The join with unlimited memory, probe-first."""

    exact: int
    same_step_results: int
    exact_importance: float | None  # None also where the trace has no importance
    results_per_arrival_mean: float | None  # results that an arrival brings with earlier tuples
    results_per_arrival_max: int | None
    never_join_share: float | None  # of the tuples: those without any result
    nothing_to_come_share: float | None  # those not worth keeping: no result after their own step
    memory_for_full_recall: int  # most tuples after a step that have a result to come
    memory_for_full_recall_time: Moment | None  # of the first such step
    most_in_window: int  # most tuples after a step: what a join without a policy holds
    most_in_window_time: Moment | None


@dataclass(frozen=True)
class Caching:
    """A cache with unlimited memory."""

    references: int  # after warm-up
    hits: int
    hit_ratio: float | None
    mean_reuse_time: float | None  # from a reference to the next one of the same key
    memory_for_all_hits: int  # most objects after a reference that have a hit to come
    memory_for_all_hits_time: Moment | None


@dataclass(frozen=True)
class Inspection:
    """What is in a trace, with whatever one must know to look again."""

    sjoin: str | None  # version; None when it runs from its sources alone
    trace: dict  # path, rows, fingerprint
    options: dict
    time: Times
    streams: tuple[Stream, ...]
    keys: Keys
    joining: Joining | None  # None for caching
    caching: Caching | None  # None for joining
    metadata: dict  # how the trace was made; of models only their kinds

    schema_version = SCHEMA_VERSION

    def as_dict(self) -> dict:
        """The inspection as its JSON has it."""
        return json_ready({"schema_version": self.schema_version, **asdict(self)})
