"""The alpha of an exponential life, from what a model lets expect of lifetimes.

After J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005, sections
7.3 to 7.5.
"""

import numpy as np

from streamjoin_core.models.life import alpha_of_lifetime

# What an observed mean lifetime is rounded to, so that a table for each can be had beforehand.
_MARGIN = 20  # of margins from 0 to 20, the one with which temperatures came out best
ALPHAS = 2.0 ** np.arange(-1, 12, 0.5)


def alphas_to_try(mem: int) -> list[float]:
    """From the next use alone to as far as the memory reaches, each about twice the one before."""
    steps = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]
    return [float(one) for one in steps if one < mem] + [float(mem)]


def leaders(ahead: np.ndarray) -> np.ndarray:
    """At each row the alpha in charge, given the hits [alpha, row] that each had before it.

    The smallest is in charge first; another takes over when it is ahead by more than _MARGIN hits,
    since changing costs hits and small leads are luck.
    """
    choice = np.zeros(ahead.shape[1], np.int32)
    best = ahead.argmax(axis=0).tolist()
    now = 0
    for row, candidate in enumerate(best):
        if ahead[candidate, row] - ahead[now, row] > _MARGIN:
            now = candidate
        choice[row] = now
    return choice


def usual_alpha(models: list, mem: int, is_caching: bool) -> float | str:
    """Unless somebody names one: auto for caching by a model that soon forgets, else a number."""
    if is_caching and getattr(models[0], "fades", False):
        return "auto"
    return alpha_of_models(models, mem)


def alpha_of_models(models: list, mem: int) -> float:
    """One alpha for both streams: where both are trends by their noise, else the memory."""
    lifetimes = [getattr(model, "lifetime", None) for model in models]
    if None in lifetimes:
        return float(mem)
    return alpha_of_lifetime(sum(lifetimes) / len(lifetimes))
