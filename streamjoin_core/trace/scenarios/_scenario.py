"""What a scenario is: parameters with their meaning, a generator of arrivals, and its model."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from inspect import cleandoc
from typing import NamedTuple

import numpy as np

from streamjoin_core.parameters import Parameters

LABELS = ("R", "S")


class Arrivals(NamedTuple):
    """Columns of the generated rows in arrival order; `stream` holds 0 for R and 1 for S."""

    time: np.ndarray
    stream: np.ndarray
    key: np.ndarray
    importance: np.ndarray | None = None
    value: np.ndarray | None = None


@dataclass(frozen=True)
class Scenario:
    """A named generator.

    `model` gets a generator in the state in which `generate` got its own, so that both can draw
    the same random order of keys; it returns the JSON of a model file, or a sentence that says why
    there is none.
    """

    name: str
    summary: str
    parameters: type[Parameters]
    generate: Callable[[Parameters, int, np.random.Generator], Arrivals]
    model: Callable[[Parameters, np.random.Generator], dict | str]
    steps: int = 5000

    @property
    def explanation(self) -> str:
        """The scenario's formulas and where they come from: the docstring of its file."""
        return cleandoc(sys.modules[self.parameters.__module__].__doc__)
