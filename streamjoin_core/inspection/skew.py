"""How unevenly a stream's rows spread over keys."""

from collections import Counter

import numpy as np

from streamjoin_core.inspection.report import TopKey
from streamjoin_core.trace.trace import Trace

# Sums of logarithms differ between machines in their last digits, an estimate's first ones do not.
_DIGITS_OF_ESTIMATE = 6


def skew(frequencies: Counter, top: tuple[tuple, ...]) -> dict:
    """Measures of skew, given how many keys occur how often, and the most frequent ones."""
    values = sorted(frequencies, reverse=True)
    descending = np.repeat(values, [frequencies[value] for value in values]).astype(np.int64)
    rows = int(descending.sum())
    return {
        "distinct_keys": len(descending),
        "top_keys": tuple(TopKey(_readable(key), count, count / rows) for key, count in top),
        "top_1_percent_share": _share_of_most_frequent(descending, 100),
        "top_10_percent_share": _share_of_most_frequent(descending, 10),
        "zipf_exponent": _zipf_exponent(descending),
    }


def most_frequent(trace: Trace, counts: np.ndarray, top: int) -> tuple[tuple, ...]:
    """The most frequent keys with their counts; among equals the smaller key first."""
    descending = np.sort(counts[counts > 0])[::-1]
    top = min(top, len(descending))
    if top == 0:
        return ()
    least = descending[top - 1]
    above = np.flatnonzero(counts > least)
    ids = np.concatenate([above, np.flatnonzero(counts == least)[: top - len(above)]])
    ids = ids[np.argsort(-counts[ids], kind="stable")]
    return tuple(zip(trace.key_values[ids].tolist(), counts[ids].tolist(), strict=True))


def _readable(key) -> int | float | str:
    """A key as JSON can have it: it knows no infinity."""
    return str(key) if key in (float("inf"), float("-inf")) else key


def _share_of_most_frequent(descending: np.ndarray, one_in: int) -> float:
    """The share of rows whose key is one of the most frequent, one key in so many (rounded up)."""
    number = -(-len(descending) // one_in)
    return int(descending[:number].sum()) / int(descending.sum())


def _zipf_exponent(descending: np.ndarray) -> float | None:
    """The exponent s of frequency ~ rank^-s, by least squares on the logarithms of both."""
    if len(descending) < 2:
        return None
    rank = np.log(np.arange(1, len(descending) + 1))
    rank -= rank.mean()
    slope = (rank @ np.log(descending)) / (rank @ rank)
    return round(-float(slope), _DIGITS_OF_ESTIMATE) + 0.0  # not -0.0
