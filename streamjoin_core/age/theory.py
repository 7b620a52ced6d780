"""The recall that is to be expected from a memory, under the age and the frequency model.

With r tuples of a stream per unit of time and memory M for them, each can be kept for M / r units.
Then by Srivastava and Widom 2004, equation 3, a tuple gives

    (M / r) C(k_opt) / k_opt    results if M / r <= k_opt,    else C(M / r)

and by their section 3.3 PROB keeps the keys that are most frequent in the other stream, as many of
their tuples as there is room for. Here the last key that finds room only in part counts in part.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.age.curve import AgeCurve
from streamjoin_core.engine.compiled import compiled
from streamjoin_core.engine.condition import EQUAL, UNEQUAL, Condition
from streamjoin_core.engine.joining import Join

_NEAR = 1e-12


class Rates(NamedTuple):
    """Of the left and the right stream, in the window's clock."""

    tuples: np.ndarray  # int64
    per_unit: np.ndarray  # float64: tuples per unit of the clock that its window has
    per_time: np.ndarray  # float64: tuples per unit of time


def find_rates(join: Join) -> Rates:
    time = join.rows.time
    right = np.count_nonzero(join.rows.stream)
    tuples = np.array([len(time) - right, right])
    duration = float(time[-1] - time[0]) + 1 if len(time) else 1.0
    per_time = tuples / duration
    return Rates(tuples, np.ones(2) if join.rules.by_tuples else per_time, per_time)


def age_recall(
    join: Join, curves: tuple[AgeCurve, AgeCurve], parts: tuple[int, ...]
) -> float | None:
    """Equation 3; a memory that both streams share is taken as the best split of it."""
    rates = find_rates(join)
    whole = sum(tuples * curve.results for tuples, curve in zip(rates.tuples, curves, strict=True))
    if not whole:
        return None
    if len(parts) == 1:
        parts = best_split(join, curves, parts[0])
    gained = sum(_results(curves, rates, stream, parts[stream]) for stream in range(2))
    return min(1.0, float(gained / whole))


def best_split(join: Join, curves: tuple[AgeCurve, AgeCurve], mem: int) -> tuple[int, int]:
    """Memory for left and right with the largest recall by equation 3.

    Of several that are equally good, the middle one: what nobody needs is shared.
    """
    rates = find_rates(join)
    # What exceeds the rows is of no use to anyone.
    useful = min(mem, len(join.trace))
    left = np.arange(useful + 1)
    gained = _results(curves, rates, 0, left) + _results(curves, rates, 1, useful - left)
    best = np.flatnonzero(gained >= gained.max() * (1 - _NEAR))
    chosen = int(best[len(best) // 2])
    spare = mem - useful
    return chosen + spare // 2, mem - chosen - spare // 2


def _results(curves, rates: Rates, stream: int, memory) -> np.ndarray:
    """All results of a stream's tuples if they have so much memory."""
    curve = curves[stream]
    best_age = curve.best_age
    if best_age is None or rates.tuples[stream] == 0:
        return np.zeros(np.shape(memory))
    age = np.asarray(memory) / rates.per_unit[stream]
    staggered = age * float(curve.until(best_age)) / best_age
    return rates.tuples[stream] * np.where(age <= best_age, staggered, curve.until(age))


def frequency_recall(join: Join, parts: tuple[int, ...]) -> float | None:
    """Section 3.3, with the frequencies that keys have in the whole trace; it needs a window."""
    frequency = frequencies(join)
    rates = find_rates(join)
    if not join.has_window or not rates.tuples.all():
        return None
    joined = [joined_frequency(join.rules.condition, frequency, stream) for stream in range(2)]
    content = [frequency[stream] * full_window(join, rates)[stream] for stream in range(2)]
    # Results per time that a tuple in memory gives.
    worth = [joined[stream] * rates.per_time[1 - stream] for stream in range(2)]
    whole = sum(float(held @ gain) for held, gain in zip(content, worth, strict=True))
    if whole == 0:
        return None
    if len(parts) == 1:
        joined, content, worth = ([np.concatenate(both)] for both in (joined, content, worth))
    pools = zip(joined, content, worth, parts, strict=True)
    gained = sum(_fill(*pool) for pool in pools)
    return min(1.0, gained / whole)


def _fill(priority: np.ndarray, content: np.ndarray, worth: np.ndarray, mem: int) -> float:
    """Results per time of a memory filled by priority."""
    order = np.argsort(-priority, kind="stable")
    held = np.minimum(np.cumsum(content[order]), mem)
    held[1:] = np.diff(held)
    return float(held @ worth[order])


def frequencies(join: Join, rows: int | None = None) -> np.ndarray:
    """The share [stream, key] of a stream's tuples that have a key, among all or the first rows."""
    counts = np.zeros((2, join.number_of_keys))
    _count(join.rows.stream[:rows], join.rows.key[:rows], counts)
    counts /= np.maximum(1, counts.sum(axis=1, keepdims=True))
    return counts


@compiled
def _count(stream, key, counts):
    for row in range(len(key)):
        counts[stream[row], key[row]] += 1


def joined_frequency(condition: Condition, frequency: np.ndarray, stream: int) -> np.ndarray:
    """For each key of a stream, the share of the other stream's tuples that join it."""
    other = frequency[1 - stream]
    if condition.kind == EQUAL:
        return other
    if condition.kind == UNEQUAL:
        return other.sum() - other
    below = np.concatenate(([0.0], np.cumsum(other)))
    return below[condition.high[stream]] - below[condition.low[stream]]


def full_window(join: Join, rates: Rates) -> np.ndarray:
    """How many tuples of each stream its window holds."""
    return np.minimum(join.rules.window * rates.per_unit, rates.tuples)
