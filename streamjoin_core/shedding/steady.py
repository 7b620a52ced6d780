"""The frequency-based model: streams whose rates and key frequencies do not change.

For stream i with rate l_i, window T_i and frequency f_i(v) of key v, and j the other stream:

    meetings of a tuple      n_i(v) = f_j(v) l_j T_i
    results per unit of time g_i(v) = l_i f_i(v) n_i(v), for which stream i's tuples wait

so that the join gives g_L(v) + g_R(v) results with key v per unit of time, which is Eq. 5 of Ayad
and others (2005), and a window of W tuples lasts T_i = W / l_i.
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np

from streamjoin_core.age.theory import frequencies
from streamjoin_core.engine.joining import Join
from streamjoin_core.errors import InputError
from streamjoin_core.models.given import GivenModel
from streamjoin_core.models.known import entries_by_stream
from streamjoin_core.models.stationary import check_pmf, probabilities

_ROUNDING = 1e-6  # what frequencies may sum to beside 1


@dataclass(frozen=True, eq=False)
class Steady:
    rate: np.ndarray  # float64 [stream]: arrivals per unit of time
    window: np.ndarray  # float64 [stream]: in time
    frequency: np.ndarray  # float64 [stream, key]
    source: str  # "user" or "trace" if frequencies are known, else "learnt"
    first_row: int  # decisions before this row cannot use it; 0 if it is known

    @cached_property
    def arrivals(self) -> np.ndarray:
        """Tuples per unit of time [stream, key]."""
        return self.rate[:, None] * self.frequency

    @cached_property
    def meetings(self) -> np.ndarray:
        """Partners that come while a tuple waits [stream, key]."""
        return self.arrivals[::-1] * self.window[:, None]

    @cached_property
    def gains(self) -> np.ndarray:
        """Results per unit of time for which tuples wait [stream, key]."""
        return self.arrivals * self.meetings


def find_steady(join: Join, model: GivenModel | None, prefix: float) -> Steady:
    """What is known, or else learnt from the first rows; windows must be given."""
    entries = model.entries if model else {}
    known = entries_by_stream(join.trace.labels, entries)
    if len(known) == 2 and all(entry.get("kind") == "stationary" for entry in known):
        for label, entry in entries.items():
            _check_sum(label, entry)
        frequency = np.array([probabilities(entry, join.trace) for entry in known])
        return _steady(join, len(join.trace), frequency, model.source, 0)
    rows = ceil(prefix * len(join.trace))
    return _steady(join, rows, frequencies(join, rows), "learnt", rows)


def _check_sum(label: str, entry: dict) -> None:
    total = sum(check_pmf(entry).values())
    if abs(total - 1) > _ROUNDING:
        raise InputError(
            f"the frequencies of stream {label!r} sum to {total:g}, not to 1: divide them by their "
            "sum, or name the keys that are missing"
        )


def _steady(join: Join, rows: int, frequency, source: str, first_row: int) -> Steady:
    arrivals = np.bincount(join.rows.stream[:rows], minlength=2)
    rate = arrivals / duration(join.rows.time[:rows])
    window = join.rules.window.astype(float)
    if join.rules.by_tuples:
        window = np.divide(window, rate, out=np.zeros(2), where=rate > 0)
    return Steady(rate, window, frequency, source, first_row)


def duration(time: np.ndarray) -> int:
    """How long some rows last, in whole units of time, the last one included."""
    return int(time[-1] - time[0]) + 1 if len(time) else 1
