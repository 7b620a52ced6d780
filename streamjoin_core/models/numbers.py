"""Numbers of a model file's entries, and the mass that a normal distribution has on integers."""

from math import isfinite

import numpy as np

from streamjoin_core.errors import InputError

# So many deviations off, a normal distribution has no mass that a double can hold.
REACH = 38


def number(entry: dict, name: str, *, above: float | None = None) -> float:
    """A named number of an entry, checked."""
    value = entry.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise InputError(f"{name} of a {entry['kind']} model is {value!r}: give a number")
    if above is not None and value <= above:
        raise InputError(
            f"{name} of a {entry['kind']} model is {value!r}: give a number above {above}"
        )
    return float(value)


def normal_mass(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """What a standard normal distribution has between low and high.

    Mirror images have exactly equal masses, since whoever ties must tie as a number.
    """
    from scipy.special import erfc  # takes a moment to load

    is_left = low + high < 0
    near, far = np.where(is_left, -high, low), np.where(is_left, -low, high)
    root = np.sqrt(2.0)
    return (erfc(near / root) - erfc(far / root)) / 2


def rounded_normal(mean: float, sigma: float) -> tuple[int, np.ndarray]:
    """The first integer that a rounded normal number can be, and the probabilities from there on.

    An integer v has the normal mass of [v - 1/2, v + 1/2].
    """
    first = int(np.floor(mean - REACH * sigma))
    last = int(np.ceil(mean + REACH * sigma))
    centred = np.arange(first, last + 1) - mean
    return first, normal_mass((centred - 0.5) / sigma, (centred + 0.5) / sigma)
