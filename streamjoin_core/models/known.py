"""How likely an arrival of the other stream joins a tuple, where both processes are stationary."""

from fractions import Fraction
from itertools import accumulate

import numpy as np

from streamjoin_core.engine.condition import EQUAL, UNEQUAL, find_condition
from streamjoin_core.engine.joining import Join
from streamjoin_core.models.stationary import check_pmf, probabilities, typed_keys


def known_probabilities(join: Join, model: dict | None) -> np.ndarray | None:
    """Per stream and key, the probability that an arrival of the other stream joins; else None.

    Known means that each stream has a stationary entry: with one of them alone, the scores of one
    stream would be true and those of the other learnt.
    """
    entries = _entries_by_stream(join.trace.labels, model or {})
    if len(entries) < 2 or any(entry.get("kind") != "stationary" for entry in entries):
        return None
    return np.array([_joining_probability(join, 1 - other, entries[other]) for other in (1, 0)])


def _entries_by_stream(labels: tuple, model: dict) -> list[dict]:
    """The left and the right stream's entries; a stream without arrivals has whatever is left."""
    named = [str(label) for label in labels]
    named += [label for label in model if label not in named][: 2 - len(named)]
    return [model.get(label, {}) for label in named]


def _joining_probability(join: Join, stream: int, entry: dict) -> np.ndarray:
    """Per key of a stream, the probability that the other stream's model gives to what joins it."""
    kind = join.rules.condition.kind
    equal = probabilities(entry, join.trace)
    if kind == EQUAL:
        return equal
    pmf = typed_keys(check_pmf(entry), join.trace)
    total = sum(map(Fraction, pmf.values()))
    if kind == UNEQUAL:
        return np.array([float(total - Fraction(p)) for p in equal.tolist()])
    # The model may name keys that the trace does not have, so ranges are found among all of them.
    # Sums are exact, since equal ones must not differ by how they were added up.
    values = np.union1d(join.trace.key_values, np.array(list(pmf), join.trace.key_values.dtype))
    condition = find_condition(values, join.on, join.band)
    below = list(accumulate((Fraction(pmf.get(v, 0)) for v in values.tolist()), initial=Fraction()))
    own = np.searchsorted(values, join.trace.key_values)
    low, high = condition.low[stream, own], condition.high[stream, own]
    return np.array(
        [float(below[end] - below[start]) for start, end in zip(low, high, strict=True)]
    )
