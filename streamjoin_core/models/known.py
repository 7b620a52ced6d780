"""How likely an arrival of the other stream joins a tuple, where both processes are stationary."""

import numpy as np

from streamjoin_core.engine.joining import Join
from streamjoin_core.models.stationary import joining_probability


def known_probabilities(join: Join, model: dict | None) -> np.ndarray | None:
    """Per stream and key, the probability that an arrival of the other stream joins; else None.

    Known means that each stream has a stationary entry: with one of them alone, the scores of one
    stream would be true and those of the other learnt.
    """
    entries = entries_by_stream(join.trace.labels, model or {})
    if len(entries) < 2 or any(entry.get("kind") != "stationary" for entry in entries):
        return None
    return np.array([joining_probability(join, 1 - other, entries[other]) for other in (1, 0)])


def entries_by_stream(labels: tuple, model: dict) -> list[dict]:
    """The left and the right stream's entries; a stream without arrivals has whatever is left."""
    named = [str(label) for label in labels]
    named += [label for label in model if label not in named][: 2 - len(named)]
    return [model.get(label, {}) for label in named]
