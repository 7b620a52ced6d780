"""How many results a tuple is expected to have, n(s), and when: what sampling must know before.

    age        n is the same for all tuples of a stream: its age curve's
    frequency  n = r W f: how many arrivals of the other stream that join it come in its window
    trace      n is counted in the trace itself, which nobody could know: for comparison

Section 4.2.1 of the paper.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.age.curve import AgeCurve
from streamjoin_core.age.theory import find_rates, frequencies, full_window, joined_frequency
from streamjoin_core.engine.joining import Join
from streamjoin_core.models.known import known_probabilities

_ROUNDING = 1e-9  # an n that is whole may be computed as a little more

MODELS = ("age", "frequency", "trace")


class Kind(NamedTuple):
    """Tuples of a stream that have the same n."""

    content: float  # how many of them the window holds
    results: float  # n
    waits: np.ndarray  # shares of the window: until the first result, from it to the next, ...


class Expectation(NamedTuple):
    results: np.ndarray  # float64 [row]: n of each
    kinds: tuple[Kind, ...]


def expect(
    join: Join,
    by: str,
    curves: tuple[AgeCurve, AgeCurve] | None,
    model: dict | None,
    is_whole: bool,
) -> Expectation:
    """What a model lets expect of each tuple.

    For whole numbers n is rounded up: who is discarded too early biases the sample, and who stays
    too long only costs memory. A curve's n, which is counted and the same for all, is rounded to
    the nearest, but never to nothing.
    """
    if by == "age":
        return _by_age(join, curves, is_whole)
    is_counted = by == "trace"
    results = join.unlimited.future.astype(float) if is_counted else _by_frequency(join, model)
    if is_whole:
        results = np.ceil(results - _ROUNDING)
    held = full_window(join, find_rates(join))
    kinds = []
    for stream in range(2):
        own, counts = np.unique(results[join.rows.stream == stream], return_counts=True)
        shares = counts / max(1, counts.sum())
        # Of a fixed frequency, results come evenly: theorem 4.2 needs to know no more.
        kinds += [
            Kind(float(held[stream] * share), float(n), np.zeros(0))
            for n, share in zip(own, shares, strict=True)
        ]
    return Expectation(results, tuple(kinds))


def _by_frequency(join: Join, model: dict | None) -> np.ndarray:
    """r W f of each row, f from a known model or else from the trace."""
    rates = find_rates(join)
    chances = known_probabilities(join, model)
    if chances is None:
        frequency = frequencies(join)
        condition = join.rules.condition
        chances = [joined_frequency(condition, frequency, stream) for stream in range(2)]
    if join.rules.by_tuples:
        # While W tuples of its own stream arrive, the other one goes on at its own rate.
        others = rates.per_time[::-1] / np.maximum(rates.per_time, 1e-300)
    else:
        others = rates.per_time[::-1]
    results = np.zeros(len(join.trace))
    for stream in range(2):
        is_own = join.rows.stream == stream
        coming = others[stream] * float(join.rules.window[stream])
        results[is_own] = coming * chances[stream][join.rows.key[is_own]]
    return results


def _by_age(join: Join, curves: tuple[AgeCurve, AgeCurve], is_whole: bool) -> Expectation:
    held = full_window(join, find_rates(join))
    results = np.zeros(len(join.trace))
    kinds = []
    for stream, curve in enumerate(curves):
        number = max(1, round(curve.results)) if is_whole and curve.results else curve.results
        results[join.rows.stream == stream] = number
        # The age of the i-th result is the first by which there are i, or else the window's end.
        reached = curve.totals[1:] / max(1, curve.tuples)
        places = np.searchsorted(reached, np.arange(1, int(number) + 1) - _ROUNDING) + 1
        ages = places * curve.granularity
        shares = np.minimum(ages / max(1, curve.window), 1.0)
        kinds.append(Kind(float(held[stream]), float(number), np.diff(shares, prepend=0.0)))
    return Expectation(results, tuple(kinds))
