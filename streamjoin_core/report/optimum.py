"""The report of the offline optimum: the shape of a replay's, with bounds and how it was found."""

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from streamjoin_core.report.report import Report, json_ready

if TYPE_CHECKING:
    from streamjoin_core.optimal.solution import Solution


@dataclass(frozen=True)
class OptimumRun:
    """The best for one memory. What depends on which of the best schedules is taken is None."""

    policy: str
    label: str
    params: dict
    mem: int
    seed: int
    exact: int
    results: int | None  # of the best schedule known; None if another objective decides it
    recall: float | None
    same_step_results: int
    exact_importance: float | None
    importance: float | None  # likewise
    importance_recall: float | None
    fairness: float | None
    occupancy_left: float | None
    evicted: int | None
    dropped: int | None
    expired: int | None
    mean_lifetime: float | None
    ratio_to_opt: float | None
    losses: dict[str, int] | None
    groups: list[dict] | None
    worst_group: str | int | float | None
    status: str  # optimal, or bound
    lower: int | float  # of the objective: what is reached
    upper: int | float  # of the objective: what nobody can exceed
    graph: str
    nodes: int | None  # None where no whole graph was built
    arcs: int | None
    unpartitioned: int | float | None = None  # the objective if memory were not cut, where known


@dataclass(frozen=True, eq=False)
class OptimumReport(Report):
    """One run per memory; what varies from call to call is not part of the JSON."""

    runs: tuple[OptimumRun, ...] = ()
    certificate: dict | None = None  # if it was asked for
    solution: "Solution | None" = None  # of our own solver, if it built a graph
    seconds_to_build: float = 0.0
    seconds_to_solve: float = 0.0

    def as_dict(self) -> dict:
        """The report as its JSON has it."""
        return json_ready(
            {
                "schema_version": self.schema_version,
                "sjoin": self.sjoin,
                "trace": self.trace,
                "options": self.options,
                "runs": [asdict(run) for run in self.runs],
                "summaries": self.summaries,
                "partitions": self.rows_of_partitions(),
                "certificate": self.certificate,
            }
        )


def certified(report: OptimumReport) -> OptimumReport:
    """The report with the proof, in the objective's own unit."""
    found = report.solution.certificate
    certificate = {
        "mem": sum(report.solution.kept),
        "primal": found.benefit.value(found.primal),
        "dual": found.benefit.value(found.dual),
        "holds": found.holds,
    }
    return replace(report, certificate=certificate)
