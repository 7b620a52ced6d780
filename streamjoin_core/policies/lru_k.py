"""LRU-K: whoever's k-th last reference lies furthest back leaves first.

    score(x) = the row of the k-th last reference to x, or minus infinity if there are fewer

Among equal scores, so among objects with fewer than k references, the least recently referenced
leaves first. With k = 1 this is lru.

Parameters:
    k    how many references back to look (default 2)

Cost: O(1) per hit and per bypassed reference, O(log mem) amortised per eviction, whatever k.
Differences from the paper: every reference counts (its Correlated Reference Period is 0), history
is never forgotten (its Retained Information Period is infinite), and the new object is a candidate
too, so it may be bypassed.
Reference: E. J. O'Neil, P. E. O'Neil, G. Weikum, The LRU-K page replacement algorithm for database
disk buffering, SIGMOD 1993.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.caching import CachingTask, replay_references
from streamjoin_core.engine.compiled import compiled, inner
from streamjoin_core.engine.facts import CachingFacts
from streamjoin_core.engine.lazy_heap import LazyHeap, enter, new_heap, priority_of, replace
from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.policies.base import Policy

_NO_HISTORY = -1


@dataclass(frozen=True)
class LruK(Parameters):
    k: int = parameter(2, "how many references back to look", least=1)


class _History(NamedTuple):
    """Rings of k rows, one for each object that has k references in the whole trace."""

    heap: LazyHeap
    k: int
    number: np.ndarray  # int32 [key]: references so far
    start: np.ndarray  # int32 [key]: where its ring begins, or NO_HISTORY
    rows: np.ndarray  # int32: the rings, one after the other


@inner
def _refer(history, key, row):
    before = history.number[key]
    history.number[key] = before + 1
    start = history.start[key]
    score = 0
    if start != _NO_HISTORY:
        history.rows[start + before % history.k] = row
        if before + 1 >= history.k:
            score = history.rows[start + (before + 1) % history.k] + 1
    history.heap.priority[key] = priority_of(score, row)


@inner
def _enter(history, key, row):
    enter(history.heap, key, row)


@inner
def _replace(history, key, row):
    return replace(history.heap, key, row)


@compiled
def _replay_references(references, history):
    return replay_references(references, history, _refer, _enter, _replace)


def _new_history(task: CachingTask) -> _History:
    k = min(task.params.k, task.rows + 1)  # from there on nobody has so many references
    keys = task.number_of_keys
    has_ring = np.bincount(task.trace.key, minlength=keys) >= k
    ends = np.cumsum(has_ring) * k
    return _History(
        heap=new_heap(np.zeros(keys, np.int64), task.slots),
        k=k,
        number=np.zeros(keys, np.int32),
        start=np.where(has_ring, ends - k, _NO_HISTORY).astype(np.int32),
        rows=np.empty(ends[-1] if keys else 0, np.int32),
    )


def replay_caching(task: CachingTask) -> CachingFacts:
    return task.facts(_replay_references(task.references(), _new_history(task)))


POLICY = Policy(
    name="lru-k",
    summary="the one whose k-th last reference lies furthest back",
    paper="O'Neil, O'Neil, Weikum 1993",
    cost="O(1) per hit, O(log mem) amortised per eviction",
    caching=replay_caching,
    parameters=LruK,
)
