"""When rows arrive, and how the rows of several streams are put in one order."""

import numpy as np

from streamjoin_core.trace.scenarios._limits import check_rows
from streamjoin_core.trace.scenarios._scenario import Arrivals

# Srivastava and Widom 2004, section 6.2, draw gaps uniformly from [1/(2 rate), 2/rate], but their
# mean is 1.25 / rate. We shorten them by that factor, so that tuples do arrive at the average rate
# which the text gives.
_SHORTEST_GAP, LONGEST_GAP = 0.5 / 1.25, 2 / 1.25  # times 1 / rate


def one_per_step(*keys: np.ndarray) -> Arrivals:
    """One arrival per stream and step at times 0, 1, ...; in each step R comes before S."""
    streams, steps = len(keys), len(keys[0])
    return Arrivals(
        time=np.repeat(np.arange(steps, dtype=np.int64), streams),
        stream=np.tile(np.arange(streams, dtype=np.uint8), steps),
        key=np.column_stack(keys).ravel(),
    )


def irregular_times(rate: float, steps: int, rng: np.random.Generator) -> np.ndarray:
    """Times in [0, steps) of tuples that arrive after random gaps, `rate` per unit on average."""
    check_rows(rate * steps)
    times = np.empty(0)
    last = 0.0
    while last < steps:
        # The expected number of gaps still to come; the loop ends within a few rounds.
        gaps = int(rate * (steps - last)) + 16
        more = last + np.cumsum(rng.uniform(_SHORTEST_GAP / rate, LONGEST_GAP / rate, gaps))
        times = np.concatenate((times, more))
        last = times[-1]
    return times[times < steps].astype(np.int64)


def regular_times(rate: float, steps: int) -> np.ndarray:
    """Times in [0, steps) of tuples with equal gaps: a rate of 1 is one tuple in every step."""
    check_rows(rate * steps)
    times = (np.arange(int(rate * steps) + 1) / rate).astype(np.int64)
    return times[times < steps]


def merge_streams(
    times: list[np.ndarray],
    keys: list[np.ndarray],
    *,
    importances: list[np.ndarray] | None = None,
    values: list[np.ndarray] | None = None,
) -> Arrivals:
    """The rows of R, and of S if given, by time; in each step R comes before S."""
    time = np.concatenate(times)
    order = np.argsort(time, kind="stable")
    streams = np.arange(len(times), dtype=np.uint8)
    return Arrivals(
        time=time[order],
        stream=np.repeat(streams, [len(side) for side in times])[order],
        key=np.concatenate(keys)[order],
        importance=None if importances is None else np.concatenate(importances)[order],
        value=None if values is None else np.concatenate(values)[order],
    )
