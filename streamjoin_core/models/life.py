"""Life functions: L(wait), how likely a tuple is still in memory after so many units of time.

    exp      e^(-wait/alpha), the default
    fixed    1 up to a wait of `limit`, then 0
    inf      1 for ever, for caching only
    inv      1/wait, for caching only

After J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005, table 1.
"""

from dataclasses import dataclass
from math import ceil, exp, inf, log1p

import numpy as np

from streamjoin_core.errors import InputError

_NEGLIGIBLE = 42  # e^-42 of a sum of positive terms is less than its rounding
KINDS = ("exp", "fixed", "inf", "inv")


@dataclass(frozen=True)
class Life:
    kind: str
    alpha: float = inf  # of exp
    limit: int = 0  # of fixed

    def weights(self, waits: int) -> np.ndarray:
        """L(1), L(2), ... for so many waits."""
        wait = np.arange(1, waits + 1)
        if self.kind == "exp":
            return np.exp(-wait / self.alpha)
        if self.kind == "fixed":
            return (wait <= self.limit).astype(float)
        return np.ones(waits) if self.kind == "inf" else 1 / wait

    @property
    def horizon(self) -> float:
        """The wait after which a sum of terms that do not grow is as good as complete."""
        if self.kind == "exp":
            return ceil(_NEGLIGIBLE * self.alpha)
        return self.limit if self.kind == "fixed" else inf

    @property
    def ratio(self) -> float:
        """What a unit of time leaves of an exponential life."""
        return exp(-1 / self.alpha)


def parse_life(text: str) -> tuple[str, int]:
    """The kind of a life function and its limit: exp, fixed:6, inf or inv.

    >>> parse_life("exp"), parse_life("fixed:6")
    (('exp', 0), ('fixed', 6))
    """
    kind, colon, limit = text.partition(":")
    if kind not in KINDS or (kind == "fixed") != bool(colon):
        raise InputError(f"life {text!r} is unknown: give exp, fixed:STEPS, inf or inv")
    if kind != "fixed":
        return kind, 0
    if not limit.isdecimal() or not 1 <= int(limit) <= 10**6:
        raise InputError(f"life {text!r} has no number of steps: give one such as fixed:6")
    return kind, int(limit)


def alpha_of_lifetime(lifetime: float) -> float:
    """The alpha of a mean lifetime: lifetime = 1 / (1 - e^(-1/alpha)).

    >>> from math import expm1
    >>> round(1 / -expm1(-1 / alpha_of_lifetime(5.0)), 12)
    5.0
    """
    return -1 / log1p(-1 / max(lifetime, 1 + 1e-9))
