"""Offline: the trace itself is the model, so all arrivals to come are known.

No policy that uses it is a competitor; it shows how far a better model could lead.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.models.chances import LISTED, Ask, Foreseen, Table, summed_lives
from streamjoin_core.trace.trace import Trace


@dataclass(frozen=True)
class Offline:
    def arrivals(self, trace: Trace, stream: int) -> tuple[np.ndarray, np.ndarray]:
        """Times of a stream's arrivals key by key, and where each key's begin."""
        rows = np.flatnonzero(trace.stream == stream)
        keys = trace.key[rows]
        order = np.argsort(keys, kind="stable")
        bounds = np.searchsorted(keys[order], np.arange(len(trace.key_values) + 1))
        return trace.time[rows[order]], bounds

    def joining(self, ask: Ask) -> Foreseen:
        times, bounds = self.arrivals(ask.trace, 1 - ask.stream)
        return Foreseen(LISTED, summed_lives(ask), times=times, bounds=bounds)

    def caching(self, ask: Ask) -> Foreseen:
        """The next reference is known, and L of its wait falls as it lies further ahead."""
        return Foreseen(LISTED, [Table(np.zeros((1, 1, 1)), 0) for _ in ask.lives])


def read(entry: dict) -> Offline:
    return Offline()
