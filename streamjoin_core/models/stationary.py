"""Stationary models: every value has a probability that does not change with time."""

from dataclasses import dataclass
from math import fsum, isfinite

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.trace.trace import Trace

_ROUNDING = 1e-9  # what probabilities may sum to above 1


@dataclass(frozen=True)
class Stationary:
    entry: dict  # as the model file has it


def read(entry: dict) -> Stationary:
    check_pmf(entry)
    return Stationary(entry)


def check_pmf(entry: dict) -> dict[str, float]:
    """The probabilities of a stationary model's entry, by the key's text."""
    if entry.get("kind") != "stationary":
        raise InputError(f"a model of kind {entry.get('kind')!r} has no probabilities: give a pmf")
    pmf = entry.get("pmf")
    if not isinstance(pmf, dict):
        raise InputError('a stationary model has no pmf: write {"pmf": {key: probability, ...}}')
    for key, probability in pmf.items():
        is_number = isinstance(probability, int | float) and not isinstance(probability, bool)
        if not is_number or not isfinite(probability) or probability < 0:
            raise InputError(
                f"the probability of key {key!r} is {probability!r}: give a number of at least 0"
            )
    total = fsum(pmf.values())
    if total > 1 + _ROUNDING:
        raise InputError(f"the probabilities of a pmf sum to {total:g}: divide them by their sum")
    return {str(key): float(probability) for key, probability in pmf.items()}


def probabilities(entry: dict, trace: Trace) -> np.ndarray:
    """Per key id of the trace its probability, 0 for keys that the model does not name."""
    pmf = typed_keys(check_pmf(entry), trace)
    keys = trace.key_values.tolist()
    return np.fromiter((pmf.get(key, 0.0) for key in keys), np.float64, len(keys))


def typed_keys(pmf: dict[str, float], trace: Trace) -> dict:
    """The probabilities by keys as the trace has them; JSON has only texts as keys of an object."""
    if not trace.numeric_keys:
        return pmf
    number = float if trace.key_values.dtype == np.float64 else int
    return {_as_number(key, number): probability for key, probability in pmf.items()}


def _as_number(key: str, number: type) -> int | float:
    try:
        return number(key)
    except ValueError:
        raise InputError(
            f"key {key!r} of a pmf is not a number, but the trace's keys are: correct the model"
        ) from None
