"""An alpha that follows the mean lifetime observed: the one whose own lifetime is nearest."""

import numpy as np

from streamjoin_core.engine.compiled import inner


def longest_lifetimes(alphas: np.ndarray) -> np.ndarray:
    """The mean lifetime l up to which each alpha but the last is the one, where an alpha's own is
    l = 1 / (1 - e^(-1/alpha))."""
    lifetimes = 1 / -np.expm1(-1 / np.maximum(alphas, 1e-3))
    return np.sqrt(lifetimes[1:] * lifetimes[:-1])


@inner
def alpha_after(lives, longest, life):
    """The number of the alpha to go on with when another one left after a `life`.

    `lives` has the number and the total of those observed so far.
    """
    lives[0] += 1
    lives[1] += life
    mean = lives[1] / lives[0]
    choice = 0
    while choice < len(longest) and mean > longest[choice]:
        choice += 1
    return choice
