"""A fitted model, and what it says of the arrivals that it is judged by."""

from dataclasses import dataclass, replace
from math import log

import numpy as np


@dataclass(frozen=True, eq=False)
class Candidate:
    """A model of one kind with the parameters that make the arrivals likeliest."""

    name: str  # the kind, told apart from others of it
    entry: dict  # as the model file has it
    parameters: int  # numbers that were free to choose
    below: np.ndarray  # per scored arrival the probability of any smaller key, given the past
    mass: np.ndarray  # and of its own key
    note: str | None = None  # what was done that is not plain maximum likelihood
    log_likelihood: float | None = None  # of the scored arrivals, whose number is the next one
    scored: int | None = None

    def __post_init__(self):
        if self.log_likelihood is None:
            object.__setattr__(self, "log_likelihood", log_sum(self.mass))
            object.__setattr__(self, "scored", len(self.mass))

    def without_rows(self) -> "Candidate":
        """The same without what grows with the number of arrivals."""
        return replace(self, below=np.empty(0), mass=np.empty(0))

    @property
    def aic(self) -> float:
        return 2 * self.parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        return log(self.scored) * self.parameters - 2 * self.log_likelihood


def log_sum(mass: np.ndarray, count: np.ndarray | float = 1.0) -> float:
    """The sum of logarithms; minus infinity where something is impossible."""
    if (mass <= 0).any():
        return -np.inf
    return float((count * np.log(mass)).sum())


def short(number: float) -> float:
    """A parameter with as many digits as anyone can use, so that model files can be read."""
    return float(f"{number:.8g}")
