"""The importance of the whole join: pairs are looked at one by one, but in sorted, dense arrays."""

import numpy as np

from streamjoin_core.engine.compiled import compiled, inner
from streamjoin_core.engine.condition import EQUAL, keys_join
from streamjoin_core.engine.rules import Rows, Rules, combine, group_of, pair_importance

EXACT, SAME_STEP = range(2)


def exact_importance(rows: Rows, rules: Rules, number_of_groups: int) -> np.ndarray:
    """Total importance [group, (EXACT, SAME_STEP)] of all pairs, by the later tuple's group."""
    is_equality = rules.condition.kind == EQUAL
    bucket = 2 * rows.key.astype(np.int64) if is_equality else np.zeros(len(rows.key), np.int64)
    bucket += rows.stream
    order = np.argsort(bucket, kind="stable").astype(np.int32)
    number_of_buckets = 2 * (int(bucket.max(initial=0)) // 2 + 1)
    offsets = np.concatenate(([0], np.cumsum(np.bincount(bucket, minlength=number_of_buckets))))
    totals = np.zeros((number_of_groups, 2))
    start, end = spans(rows, rules)
    _add_up(rows, rules, order, offsets, rows.importance[order], start, end, totals)
    return totals


def spans(rows: Rows, rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """Per row, the first row of its step, and the first row at which its window is over."""
    time, number = rows.time, len(rows.time)
    start = np.searchsorted(time, time, "left").astype(np.int32)
    end = np.full(number, number, np.int32)
    for stream in range(2):
        own = np.flatnonzero(rows.stream == stream)
        window = int(rules.window[stream])
        if not rules.by_tuples:
            # Counted from the first time, so that adding a long window stays within int64.
            end[own] = np.searchsorted(time - time[0], time[own] - time[0] + window, "right")
        elif window < len(own):
            last = own[window:]  # the tuple after whose step the window is over
            end[own[: len(last)]] = np.searchsorted(time, time[last], "right")
    return start, end


@inner
def _sum(rows, rules, order, weights, first, last, row):
    """Total importance of a row's pairs with the sorted positions first ≤ p < last."""
    weight = rows.importance[row]
    stream, key = rows.stream[row], rows.key[row]
    is_equality = rules.condition.kind == EQUAL
    total = 0.0
    for position in range(first, last):
        if is_equality or keys_join(rules.condition, stream, key, rows.key[order[position]]):
            if len(rows.period):
                total += pair_importance(rows, rules, order[position], row)
            else:
                total += combine(rules.combination, weights[position], weight)
    return total


@compiled
def _add_up(rows, rules, order, offsets, weights, start, end, totals):
    """Bucket by bucket, both streams' rows in arrival order; the bounds of partners only grow."""
    for bucket in range(0, len(offsets) - 2, 2):
        ends = (offsets[bucket + 1], offsets[bucket + 2])
        at = np.array([offsets[bucket], offsets[bucket + 1]])  # next row of each stream
        first = at.copy()  # first partner still in window
        last = at.copy()  # first partner of the present step
        while at[0] < ends[0] or at[1] < ends[1]:
            stream = 0
            if at[0] == ends[0] or (at[1] < ends[1] and order[at[1]] < order[at[0]]):
                stream = 1
            other = 1 - stream
            row = order[at[stream]]
            at[stream] += 1
            while last[other] < at[other] and order[last[other]] < start[row]:
                last[other] += 1
            while first[other] < last[other] and end[order[first[other]]] <= row:
                first[other] += 1
            if row >= rules.first_counted:
                group = group_of(rows, row)
                totals[group, EXACT] += _sum(
                    rows, rules, order, weights, first[other], last[other], row
                )
                totals[group, SAME_STEP] += _sum(
                    rows, rules, order, weights, last[other], at[other], row
                )
