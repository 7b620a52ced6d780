"""Caching as joining: the reduction of Xie, Yang and Chen 2005, section 3.1.

The i-th reference to v becomes two arrivals of one step, (v, i - 1) on R and (v, i) on S. The next
reference to v brings (v, i) on R, which joins the S tuple of this one if that was kept: keeping
that tuple is caching v, and a result is a hit. Kept R tuples never join anything.

>>> from streamjoin_core.trace.table import trace_from_arrays
>>> joining = reduce_caching(trace_from_arrays([5, 5, 9], ["a", "b", "a"]))
>>> joining.time.tolist()
[0, 0, 1, 1, 2, 2]
>>> joining.key_values[joining.key].tolist()
['a#0', 'a#1', 'b#0', 'b#1', 'a#1', 'a#2']
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamjoin_core.errors import InputError
from streamjoin_core.trace.trace import Trace


def reduce_caching(trace: Trace) -> Trace:
    """The joining trace whose results are the hits of this trace of references.

    References are one by one, also at equal times, so that their row numbers become the times.
    Keys read "v#i": a name ends with the last #, so no two pairs share one.
    """
    if len(trace.labels) > 1:
        raise InputError(f"{trace.origin} has two streams: caching takes one stream of references")
    counts = np.bincount(trace.key, minlength=len(trace.key_values))
    first_pair = np.cumsum(counts + 1) - (counts + 1)  # v has counts[v] + 1 pairs, from (v, 0) on
    pair = first_pair[trace.key] + _earlier_references(trace.key, counts)
    ranks, key_values = _ranked_names(trace.key_values, counts)
    return Trace(
        time=np.repeat(np.arange(len(trace)), 2),
        stream=np.tile(np.array([0, 1], np.uint8), len(trace)),
        key=ranks[np.column_stack([pair, pair + 1]).ravel()],
        key_values=key_values,
        labels=("R", "S") if len(trace) else (),
        origin=trace.origin,
        metadata={"reduced_from": "caching", "references": trace.metadata},
    )


def _earlier_references(keys: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Per row, how many references to the same key came before."""
    by_key = np.argsort(keys, kind="stable")
    earlier = np.empty(len(keys), np.int64)
    earlier[by_key] = _counting_up(counts)
    return earlier


def _counting_up(counts: np.ndarray) -> np.ndarray:
    """0, 1, ..., counts[0] - 1, 0, 1, ..., counts[1] - 1, and so on."""
    starts = np.cumsum(counts) - counts
    return np.arange(counts.sum()) - np.repeat(starts, counts)


def _ranked_names(key_values: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Per pair, its place in the order of names, and the names in that order."""
    text = pa.large_string()
    owner = np.repeat(np.arange(len(counts)), counts + 1)
    keys = pa.array(key_values).cast(text).take(pa.array(owner))
    numbers = pa.array(_counting_up(counts + 1)).cast(text)
    names = pc.binary_join_element_wise(keys, numbers, pa.scalar("#", text))
    order = pc.sort_indices(names)
    ranks = np.empty(len(names), np.int32)
    ranks[order.to_numpy()] = np.arange(len(names), dtype=np.int32)
    return ranks, names.take(order).to_numpy(zero_copy_only=False)
