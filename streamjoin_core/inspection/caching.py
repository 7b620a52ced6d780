"""What an unlimited cache has to give, and the memory that it takes."""

import numpy as np

from streamjoin_core.engine.next_use import next_use
from streamjoin_core.inspection.arrivals import moment, units_per_unit
from streamjoin_core.inspection.report import Caching
from streamjoin_core.trace.trace import Trace


def caching(trace: Trace, first_counted: int) -> Caching:
    """References are one by one, also at equal times; a hit is of the later of two references."""
    rows = len(trace)
    later = next_use(trace.key.view(np.uint32), len(trace.key_values)).astype(np.int64)
    is_needed = (later < rows) & (later >= first_counted)
    needed = np.flatnonzero(is_needed)
    later = later[needed]
    references, hits = rows - first_counted, len(needed)
    reuse = _exact_sum(trace.time[later] - trace.time[needed])
    memory, row = _most_held(is_needed, later)
    return Caching(
        references=references,
        hits=hits,
        hit_ratio=hits / references if references else None,
        mean_reuse_time=reuse / (hits * units_per_unit(trace.time_unit)) if hits else None,
        memory_for_all_hits=memory,
        memory_for_all_hits_time=moment(
            int(trace.time[row]) if row >= 0 else None, trace.time_unit
        ),
    )


def _exact_sum(lengths: np.ndarray) -> int:
    """The sum of many lengths of time, in halves, since the whole may exceed int64."""
    return (int((lengths >> 32).sum()) << 32) + int((lengths & 0xFFFFFFFF).sum())


def _most_held(is_needed: np.ndarray, later: np.ndarray) -> tuple[int, int]:
    """The most objects that wait for a hit after a reference, and the first row with so many."""
    change = is_needed.astype(np.int32)
    change[later] -= 1
    held = np.cumsum(change, dtype=np.int32)
    most = int(held.max(initial=0))
    return most, int(held.argmax()) if most else -1
