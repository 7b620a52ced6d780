"""Stationary models: every value has a probability that does not change with time."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import fsum, inf, isfinite

import numpy as np

from streamjoin_core.engine.condition import find_condition
from streamjoin_core.errors import InputError
from streamjoin_core.models.chances import FIXED, Ask, Foreseen, Table, summed_lives
from streamjoin_core.models.life import Life
from streamjoin_core.trace.trace import Trace

_ROUNDING = 1e-9  # what probabilities may sum to above 1


@dataclass(frozen=True)
class Stationary:
    entry: dict  # as the model file has it

    def joining(self, ask: Ask) -> Foreseen:
        """H by key: its probability times the sum of L, cut by the window."""
        chance = joining_probability(ask, ask.stream, self.entry)
        tables = [Table(table.cells * chance, 0) for table in summed_lives(ask)]
        return Foreseen(FIXED, tables)

    def caching(self, ask: Ask) -> Foreseen:
        """The sum over waits of p (1 - p)^(wait - 1) L(wait), by key."""
        return first_uses_of(probabilities(self.entry, ask.trace), ask)


def first_uses_of(chance: np.ndarray, ask: Ask) -> Foreseen:
    """What objects may expect whose keys have these chances at every reference."""
    first_use = _summed_first_use if ask.wants_terms else _first_use
    tables = [Table(first_use(chance, life)[None, None], 0) for life in ask.lives]
    return Foreseen(FIXED, tables)


def _first_use(chance: np.ndarray, life: Life) -> np.ndarray:
    if life.kind == "exp":
        return chance * life.ratio / (1 - (1 - chance) * life.ratio)
    if life.kind == "fixed":
        return 1 - (1 - chance) ** life.limit
    if life.kind == "inf":
        return (chance > 0).astype(float)
    inside = np.clip(chance, 1e-300, 1 - 1e-16)
    return np.where(chance > 0, -inside * np.log(inside) / (1 - inside), 0.0)


def _summed_first_use(chance: np.ndarray, life: Life) -> np.ndarray:
    """The defining sum, where it ends."""
    if life.horizon == inf:
        return _first_use(chance, life)
    unused, sums = np.ones(len(chance)), np.zeros(len(chance))
    for weight in life.weights(life.horizon):
        sums += weight * unused * chance
        unused *= 1 - chance
    return sums


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


def joining_probability(join, stream: int, entry: dict) -> np.ndarray:
    """Per key of a stream, the probability that the other stream's model gives to what joins it.

    `join` is whatever has a trace and a condition.
    """
    trace = join.trace
    equal = probabilities(entry, trace)
    if join.on == "=" and join.band is None:
        return equal
    pmf = typed_keys(check_pmf(entry), trace)
    total = sum(map(Fraction, pmf.values()))
    if join.on == "!=":
        return np.array([float(total - Fraction(p)) for p in equal.tolist()])
    # The model may name keys that the trace does not have, so ranges are found among all of them.
    # Sums are exact, since equal ones must not differ by how they were added up.
    values = np.union1d(trace.key_values, np.array(list(pmf), trace.key_values.dtype))
    condition = find_condition(values, join.on, join.band)
    below = list(accumulate((Fraction(pmf.get(v, 0)) for v in values.tolist()), initial=Fraction()))
    own = np.searchsorted(values, trace.key_values)
    low, high = condition.low[stream, own], condition.high[stream, own]
    return np.array(
        [float(below[end] - below[start]) for start, end in zip(low, high, strict=True)]
    )


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
