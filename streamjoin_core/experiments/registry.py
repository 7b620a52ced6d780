"""From an experiment's name to the experiment: every other file of this folder is one."""

import re
from functools import cache
from pathlib import Path

from streamjoin_core.errors import InputError
from streamjoin_core.experiments.base import Experiment
from streamjoin_core.named_files import file_of, names_in

_NOT_EXPERIMENTS = ("base", "claims", "measure", "registry", "run")


@cache
def experiment_names() -> tuple[str, ...]:
    """Names of all experiments, figure 9 before figure 10."""
    names = names_in([str(Path(__file__).parent)], _NOT_EXPERIMENTS)
    return tuple(sorted(names, key=_by_number))


def _by_number(name: str) -> list:
    parts = re.split(r"([0-9]+)", name)
    return [int(part) if part.isdecimal() else part for part in parts]


def find_experiment(name: str) -> Experiment:
    """The experiment of this name."""
    if name not in experiment_names():
        known = ", ".join(experiment_names())
        raise InputError(f"there is no experiment {name!r}: choose among {known}")
    return file_of(__package__, name).EXPERIMENT


def all_experiments() -> list[Experiment]:
    return [find_experiment(name) for name in experiment_names()]
