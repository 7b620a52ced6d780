"""Keys 1, 2, ... that keep their probabilities throughout a trace."""

import numpy as np

from streamjoin_core.trace.scenarios._scenario import LABELS

# A file's metadata is read whenever the file is opened: ten thousand probabilities take 0.3 MB.
MOST_KEYS_IN_MODEL = 10_000

LARGEST_DOMAIN = 10**7


def zipf_probabilities(domain: int, skew: float) -> np.ndarray:
    """The Zipf law: the k-th of `domain` keys has a probability proportional to 1 / k**skew."""
    weights = np.arange(1, domain + 1, dtype=np.float64) ** -skew
    return weights / weights.sum()


def draw_keys(probabilities: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Keys from 1 on, the k-th with the k-th probability."""
    bounds = np.cumsum(probabilities)
    bounds[-1] = 1.0  # rounding may have left a little less
    return np.searchsorted(bounds, rng.random(size), side="right") + 1


def stationary_model(probabilities: list[np.ndarray]) -> dict | str:
    """The model file's entry of each stream, given its keys' probabilities."""
    keys = len(probabilities[0])
    if keys > MOST_KEYS_IN_MODEL:
        return (
            f"The probabilities of {keys} keys are too many to keep in the file: policies learn "
            "them while replaying."
        )
    names = [str(key) for key in range(1, keys + 1)]
    entries = [
        {"kind": "stationary", "pmf": dict(zip(names, side.tolist(), strict=True))}
        for side in probabilities
    ]
    return dict(zip(LABELS, entries, strict=False))
