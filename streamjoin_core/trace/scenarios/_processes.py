"""Draws that several scenarios share: rounded normal and bounded noise."""

import numpy as np

from streamjoin_core.errors import InputError

# A normal so much wider than its bound is flat within it, and rejection would take for ever.
_WIDEST = 100

# No normal number that a generator of 64-bit numbers makes is so many deviations off.
FARTHEST = 40


def rounded_normal(mean: float, sigma: float, size: int, rng: np.random.Generator) -> np.ndarray:
    """Normal numbers, each rounded to the nearest integer."""
    return np.floor(mean + sigma * rng.standard_normal(size) + 0.5).astype(np.int64)


def bounded_normal(sigma: float, bound: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Normal noise, rounded first, then drawn again while it is outside [-bound, bound]."""
    if sigma > _WIDEST * (2 * bound + 1):
        raise InputError(
            f"a deviation of {sigma} under a bound of {bound} is as good as uniform noise: "
            "use scenario floor, or a larger bound"
        )
    noise = rounded_normal(0, sigma, size, rng)
    outside = np.flatnonzero(abs(noise) > bound)
    while len(outside):
        noise[outside] = rounded_normal(0, sigma, len(outside), rng)
        outside = outside[abs(noise[outside]) > bound]
    return noise


def bounded_uniform(bound: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Every integer of [-bound, bound] with the same probability."""
    return rng.integers(-bound, bound, size, dtype=np.int64, endpoint=True)
