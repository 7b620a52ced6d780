"""The report of a replay: what was asked, and one run per policy, memory and seed."""

from dataclasses import asdict, dataclass
from math import isfinite

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class JoinRun:
    """One run of the joining problem; undefined measures are None."""

    policy: str
    label: str  # the name with its parameters that are not the default
    params: dict
    mem: int | None  # None: no limit
    seed: int
    parts: tuple[int, int] | None  # memory of left and of right; None for one pool
    exact: int  # pairs that an unlimited memory would produce
    results: int
    recall: float | None
    same_step_results: int
    exact_importance: float | None
    importance: float | None
    importance_recall: float | None
    fairness: float | None
    occupancy_left: float | None
    evicted: int
    dropped: int
    expired: int
    mean_lifetime: float | None  # in seconds for timestamps
    theoretical_recall: float | None  # what the policy's paper lets expect
    ratio_to_opt: float | None
    ratio_to_opt_importance: float | None
    recomputations: int | None  # of scores, by policies that do so from time to time
    losses: dict[str, int]  # by cause; with the results they make up exact
    groups: list[dict] | None
    worst_group: str | int | float | None
    stays: dict | None = None  # what fairness is made of; None unless asked for
    decisions: int | None = None  # steps, per part of memory, at which somebody had to leave
    decidable_decisions: int | None = None  # of them, those with a dominated subset as large
    optimal_decisions: int | None = None  # of them, those that let one go: provably optimal


@dataclass(frozen=True)
class CachingRun:
    """One run of the caching problem; undefined measures are None."""

    policy: str
    label: str
    params: dict
    mem: int
    seed: int
    references: int
    hits: int
    hit_ratio: float | None
    evicted: int
    dropped: int  # bypassed
    mean_lifetime: float | None
    fairness: float | None


@dataclass(frozen=True)
class Partition:
    """One partition's part of the work."""

    rows: int
    seconds: float  # not part of the JSON, since it varies from call to call


@dataclass(frozen=True)
class Report:
    """All runs of one replay, with whatever one must know to repeat it."""

    sjoin: str | None  # version; None when it runs from its sources alone
    trace: dict  # path, rows, fingerprint
    options: dict
    runs: tuple[JoinRun, ...] | tuple[CachingRun, ...]
    summaries: tuple[dict, ...] = ()  # over seeds, of random policies
    partitions: tuple[Partition, ...] = ()  # if they were asked for

    schema_version = SCHEMA_VERSION

    def as_dict(self) -> dict:
        """The report as its JSON has it."""
        content = asdict(self) | {"partitions": self.rows_of_partitions()}
        return json_ready({"schema_version": self.schema_version, **content})

    def rows_of_partitions(self) -> list[int] | None:
        """How many rows each partition has."""
        return [partition.rows for partition in self.partitions] or None


def json_ready(value):
    """The value with lists for tuples and None for numbers that JSON does not have."""
    if isinstance(value, dict):
        return {key: json_ready(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [json_ready(entry) for entry in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value
