"""Well-mixed bits: MurmurHash3's 64-bit finaliser."""

import numpy as np


def mix(words: np.ndarray) -> np.ndarray:
    """Each of the 64-bit words, given as uint64, with every bit depending on all of its bits."""
    mixed = words.copy()
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        mixed ^= mixed >> np.uint64(33)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(33)
    return mixed
