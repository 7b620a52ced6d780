"""Fitting a stationary model: the probabilities are the frequencies."""

import numpy as np

from streamjoin_core.models.fitting._candidate import Candidate
from streamjoin_core.models.fitting._series import Series


def fit(series: Series) -> list[Candidate]:
    """Frequencies among all arrivals, so that no key that was seen is impossible."""
    keys, place, counts = np.unique(series.key, return_inverse=True, return_counts=True)
    chance = counts / len(series)
    below = (np.cumsum(counts) - counts) / len(series)
    names = map(str, series.key_values[keys].tolist())
    entry = {"kind": "stationary", "pmf": dict(zip(names, chance.tolist(), strict=True))}
    scored = place[series.scored]
    return [Candidate("stationary", entry, len(keys) - 1, below[scored], chance[scored])]
