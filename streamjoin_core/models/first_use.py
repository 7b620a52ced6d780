"""The probability that a key is referenced within so many time units, for caching.

    B(d) = 1 - Pr{X_{t+1}, ..., X_{t+d} all differ from v | history}

with one reference per time unit (corollary 1 of J. Xie, J. Yang, Y. Chen, On joining and caching
stochastic streams, SIGMOD 2005).
"""

from collections.abc import Callable

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.models.ar1 import Ar1
from streamjoin_core.models.offline import Offline
from streamjoin_core.models.stationary import Stationary, probabilities
from streamjoin_core.models.trend import Trend
from streamjoin_core.models.walk import Walk
from streamjoin_core.trace.trace import Trace


def first_use(model, trace: Trace, rows: int, key: int, horizon: int) -> np.ndarray:
    """B(1), ..., B(horizon) of a key id when so many rows have been seen."""
    now, last = trace.time[rows - 1], trace.key_values[trace.key[rows - 1]]
    value = trace.key_values[key]
    if isinstance(model, Walk | Ar1 | Trend) and trace.key_values.dtype != np.int64:
        raise InputError("trends, walks and ar1 models are over whole numbers: give another model")
    if isinstance(model, Walk):
        return np.cumsum(_first_uses(*_walking(model, value - last, horizon), horizon))
    if isinstance(model, Ar1):
        states = model.states(int(min(last, value)), int(max(last, value)))
        matrix = model.matrix(states)
        mass = (states == last).astype(float)
        return np.cumsum(_first_uses(mass, int(value - states[0]), lambda of: of @ matrix, horizon))
    if isinstance(model, Offline):
        waits = trace.time[rows:][trace.key[rows:] == key] - now
        return (np.arange(1, horizon + 1) >= waits.min(initial=horizon + 1)).astype(float)
    if isinstance(model, Trend):
        chances = np.array(
            [model.probability(value, int(now) + wait) for wait in range(1, horizon + 1)]
        )
    elif isinstance(model, Stationary):
        chances = np.full(horizon, probabilities(model.entry, trace)[key])
    else:
        chances = np.full(horizon, np.mean(trace.key[:rows] == key))
    return 1 - np.cumprod(1 - chances)


def _walking(walk: Walk, distance: int, horizon: int) -> tuple[np.ndarray, int, Callable]:
    """A walk on a line that it hardly leaves within the horizon, and the place of the key."""
    first, step = walk.step()
    kept = np.flatnonzero(step > 1e-18)
    first, step = first + int(kept[0]), step[kept[0] : kept[-1] + 1]
    reach = abs(int(distance)) + horizon * max(abs(first), abs(first + len(step) - 1))
    mass = np.zeros(2 * reach + 1)
    mass[reach] = 1.0

    def move(of: np.ndarray) -> np.ndarray:
        moved = np.zeros(len(of))
        low, high = max(0, first), min(len(of), len(of) + len(step) - 1 + first)
        moved[low:high] = np.convolve(of, step)[low - first : high - first]
        return moved

    return mass, reach + int(distance), move


def _first_uses(mass: np.ndarray, place: int, move: Callable, horizon: int) -> np.ndarray:
    """Mass that comes to a place is a first use, and does not go on."""
    uses = np.zeros(horizon)
    for wait in range(horizon):
        mass = move(mass)
        uses[wait] = mass[place]
        mass[place] = 0.0
    return uses
