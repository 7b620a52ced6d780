"""Chance that is the same on every machine: splitmix64, and a fair draw of one of n.

Reference: G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators,
OOPSLA 2014.
"""

import numpy as np

from streamjoin_core.engine.compiled import inner

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
_HALF = np.uint64(32)


def new_chance(seed: int) -> np.ndarray:
    """The generator's state, which `draw` moves on."""
    return np.array([seed % 2**64], np.uint64)


def wrapping_around():
    """For runs that draw: products wrap around on purpose, of which numpy warns if not compiled."""
    return np.errstate(over="ignore")


@inner
def next_word(chance):
    """The next 64 random bits."""
    chance[0] += _STEP
    word = chance[0]
    word = (word ^ (word >> _SHIFTS[0])) * _FACTORS[0]
    word = (word ^ (word >> _SHIFTS[1])) * _FACTORS[1]
    return word ^ (word >> _SHIFTS[2])


@inner
def draw(chance, n):
    """A number in [0, n), n below 2**32: the high half of the next word, scaled."""
    return np.int64(((next_word(chance) >> _HALF) * np.uint64(n)) >> _HALF)


def uniforms(seed: int, size: int) -> np.ndarray:
    """Numbers in [0, 1), one for each of the generator's first words."""
    with wrapping_around():
        word = np.uint64(seed % 2**64) + np.arange(1, size + 1, dtype=np.uint64) * _STEP
        for shift, factor in zip(_SHIFTS, _FACTORS, strict=False):
            word = (word ^ (word >> shift)) * factor
        return ((word ^ (word >> _SHIFTS[2])) >> np.uint64(11)) * 2.0**-53
