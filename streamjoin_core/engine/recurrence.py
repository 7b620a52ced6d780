"""Scores of HEEB from earlier or neighbouring ones, for streams of independent arrivals.

With an exponential life and the terms f(w) = Pr{an arrival of B joins x after w} e^(-w/alpha),

    H(x, t + g) = e^(g/alpha) (H(x, t) - sum over w <= g of f(w))              (corollary 3)
    H(y, t)     = H(x, t + g), if the trend is at x after g as it is at y now  (corollary 5)

The first one makes errors grow like e^(g/alpha), so a score is summed up anew before they matter,
and scores are compared as far as they are sure, so that whoever ties still ties.
After J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005, section 6.1.
"""

from math import exp, floor

import numpy as np

from streamjoin_core.engine.compiled import inner

MOST_GROWTH = 5.0  # e^5 roundings are 2e-14 of a score
_UNIT = 2.0**-33


@inner
def sum_of_terms(cells, at, width, most):
    """Terms of the waits from 1 to `most`, `width` cells apart; `at` is where a wait of 0 is.

    With what is lost in rounding, as tables have it (`models.chances.accumulated`).
    """
    total, lost = 0.0, 0.0
    for wait in range(1, most + 1):
        term = cells[at + wait * width]
        added = total + term
        lost += (max(total, term) - added) + min(total, term)
        total = added
    return total + lost


@inner
def rounded(score):
    return floor(score / _UNIT + 0.5) * _UNIT


@inner
def later(score, passed, units, alpha):
    """The score after so many units of time, in which terms of this sum have passed."""
    return max(0.0, (score - passed) * exp(units / alpha))


@inner
def earlier(score, coming, units, alpha):
    """The score so many units before, when terms of this sum were still to come."""
    return coming + score * exp(-units / alpha)


@inner
def nearest(memory, place, stream, key, row, slope):
    """The slot of an earlier tuple of the stream whose distance the trend goes, or -1."""
    found, least = np.int64(-1), np.iinfo(np.int64).max
    for slot in range(len(memory.row)):
        if 0 <= memory.row[slot] < row and memory.stream[slot] == stream:
            away = place[stream, memory.key[slot]] - place[stream, key]
            if away % slope == 0 and abs(away) < least:
                found, least = slot, abs(away)
    return found
