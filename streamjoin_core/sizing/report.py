"""Answers to questions about memory, as the JSON has them."""

from dataclasses import asdict, dataclass

from streamjoin_core.report.report import json_ready


@dataclass(frozen=True)
class Need:
    """The memory that a policy needs for a target."""

    label: str
    mem: int | None  # None: the target is out of reach
    reached: float | None
    is_monotone: bool
    times_optimum: float | None  # against what the optimum needs


@dataclass(frozen=True)
class Needs:
    trace: dict
    options: dict
    measure: str
    target: float
    most: int  # the largest memory that makes sense
    optimum: Need | None  # None where there is none
    policies: tuple[Need, ...]  # those that need least first
    skipped: dict[str, str]

    def as_dict(self) -> dict:
        return json_ready(asdict(self))


@dataclass(frozen=True)
class Offer:
    """What a policy reaches with a memory; over seeds, means."""

    label: str
    mem: int
    recall: float | None  # for caching, the hit ratio
    importance_recall: float | None
    fairness: float | None
    ratio_to_opt: float | None


@dataclass(frozen=True)
class Offers:
    trace: dict
    options: dict
    offers: tuple[Offer, ...]  # by memory, the best first; the optimum is one of them
    skipped: dict[str, str]

    def as_dict(self) -> dict:
        return json_ready(asdict(self))


@dataclass(frozen=True)
class TimeToLive:
    """A time-to-live, and what else its memory could do."""

    trace: dict
    options: dict
    ttl: tuple[str | None, str | None]  # left and right, as given
    exact: int
    results: int
    recall: float | None
    peak_state: int  # tuples
    mean_state: float  # over steps
    at_peak: tuple[Offer, ...]  # what others reach with the peak as their memory, the best first
    at_mean: tuple[Offer, ...]  # likewise with the mean, rounded up
    same_recall: tuple[Need, ...]  # what others need for the same recall, the least first
    skipped: dict[str, str]

    def as_dict(self) -> dict:
        return json_ready(asdict(self))
