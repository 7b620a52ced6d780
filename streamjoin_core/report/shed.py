"""The report of shedding under a budget: what was asked, and one run per strategy and budget."""

from dataclasses import asdict, dataclass
from itertools import groupby

from streamjoin_core.report.intervals import interval
from streamjoin_core.report.report import Report, json_ready

_MEASURES = ("recall", "measured_rate", "cost")


@dataclass(frozen=True)
class ShedRun:
    """One run under a budget; undefined measures are None."""

    strategy: str
    label: str  # the name with its parameters that are not the default
    params: dict
    budget: str  # as it was given
    rate: float  # what may be spent per unit of time
    burst: float  # what may be spent at once
    policy: str | None  # of the memory; None without a limit
    mem: int | None
    seed: int
    exact: int
    results: int
    recall: float | None
    same_step_results: int
    exact_importance: float | None
    importance: float | None
    importance_recall: float | None
    predicted_rate: float | None  # results per unit of time that the strategy expects
    measured_rate: float
    bound: int  # the most results that any shedding could have given for the same cost
    ratio_to_bound: float | None
    cost: float
    full_cost: float  # of the join without shedding
    allowed: float  # rate times the duration of the trace, and the burst
    largest_burst: float  # the most that was spent above the rate over any time
    evicted: int
    dropped: int
    expired: int
    sheds: dict[str, int]  # arrivals that did not enter or probe, by cause
    losses: dict[str, int]  # results by cause; with the results they make up exact
    chances: dict  # how the strategy decided
    over_time: list[dict]


@dataclass(frozen=True)
class ShedReport(Report):
    """All runs under budgets."""

    runs: tuple[ShedRun, ...] = ()

    def as_dict(self) -> dict:
        """The report as its JSON has it."""
        content = asdict(self)
        del content["partitions"]  # budgets are for a whole trace
        return json_ready({"schema_version": self.schema_version, **content})


def summarise_shedding(runs: list[ShedRun]) -> tuple[dict, ...]:
    """Means and intervals of runs that differ in their seeds only, in the order of the report."""
    summaries = []
    for (label, budget, mem), group in groupby(runs, lambda run: (run.label, run.budget, run.mem)):
        seeds = list(group)
        if len(seeds) > 1:
            measured = {name: interval([getattr(run, name) for run in seeds]) for name in _MEASURES}
            summaries.append(
                {"label": label, "budget": budget, "mem": mem, "seeds": len(seeds)} | measured
            )
    return tuple(summaries)
