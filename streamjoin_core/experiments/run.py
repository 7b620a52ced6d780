"""Carrying out an experiment, from its name to the report."""

from dataclasses import dataclass

from streamjoin_core.errors import InputError
from streamjoin_core.experiments.base import Experiment, Findings, Setup
from streamjoin_core.experiments.registry import find_experiment
from streamjoin_core.options import whole_number
from streamjoin_core.progress import Progress, silent


@dataclass(frozen=True)
class ExperimentReport:
    """What was found, with whatever one must know to repeat it."""

    experiment: Experiment
    setup: Setup
    findings: Findings


def run_experiment(
    name: str,
    *,
    runs: int | None = None,
    seed: int = 0,
    steps: int | None = None,
    data=None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> ExperimentReport:
    """Do an experiment of a paper again; options left out are the experiment's own.

    `jobs` is the number of processes, which changes nothing but the time that it takes.

    >>> report = run_experiment("fig6")
    >>> [curve.label for curve in report.findings.panels[0].curves]
    ['drift 0', 'drift 2', 'drift 4']
    """
    experiment = find_experiment(name)
    setup = Setup(
        runs=_count(experiment, "runs", runs) or 1,
        seed=whole_number("seed", seed, least=0, most=2**62),
        steps=_count(experiment, "steps", steps),
        data=data,
        jobs=whole_number("number of jobs", jobs, least=1),
        progress=progress or silent,
    )
    if (data is None) != (experiment.data is None):
        raise InputError(
            f"experiment {name} needs {experiment.data}: give it with --data FILE"
            if data is None
            else f"experiment {name} makes its own data: leave --data out"
        )
    return ExperimentReport(experiment, setup, experiment.find(setup))


def _count(experiment: Experiment, what: str, given: int | None) -> int | None:
    """The number of runs or steps: what the user gave, else the experiment's own."""
    own = getattr(experiment, what)
    if given is None:
        return own
    if own is None:
        raise InputError(f"experiment {experiment.name} has no number of {what}: leave it out")
    least = experiment.least_steps if what == "steps" else 1
    return whole_number(f"number of {what}", given, least=least, most=10**9)
