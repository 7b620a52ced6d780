"""A fitted model, and what it says of the arrivals that it is judged by."""

from dataclasses import dataclass
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

    @property
    def log_likelihood(self) -> float:
        return log_sum(self.mass)

    @property
    def aic(self) -> float:
        return 2 * self.parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        return log(len(self.mass)) * self.parameters - 2 * self.log_likelihood


def log_sum(mass: np.ndarray, count: np.ndarray | float = 1.0) -> float:
    """The sum of logarithms; minus infinity where something is impossible."""
    if (mass <= 0).any():
        return -np.inf
    return float((count * np.log(mass)).sum())


def short(number: float) -> float:
    """A parameter with as many digits as anyone can use, so that model files can be read."""
    return float(f"{number:.8g}")
