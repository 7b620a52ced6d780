"""Histograms over offsets whose buckets follow what is observed in them.

A bucket knows of its observations their number n, mean m and sum of squared deviations q, by the
recurrence

    n <- n + 1;   d = y - m;   m <- m + d / n;   q <- q + d (y - m)

A histogram starts as one bucket. At the end of each period, n and q of all buckets are multiplied
by `decay` (n down to 10^-9); then each histogram splits its bucket of the largest q in the middle,
if it has one: the halves have its mean, and half its n and q each. If it has no bucket left for
that, it first merges the two neighbours (neither of them the one to split) of the lowest q as one,
if that is less than half the q of the one to split; else it stays as it is. Among equals the first
counts.

Bucket i holds the offsets from edge i up to edge i + 1. The outer edges are the extremes observed.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import inner

_WORTHWHILE = 0.5
_LEAST = 1e-9  # what decay leaves of a bucket at least, so that it still has a mean


class Buckets(NamedTuple):
    """Several histograms; the first index of each array is the histogram."""

    edge: np.ndarray  # float64 [histogram, bucket + 1]
    number: np.ndarray  # float64 [histogram, bucket]
    mean: np.ndarray  # float64 [histogram, bucket]
    squares: np.ndarray  # float64 [histogram, bucket]
    used: np.ndarray  # int64 [histogram]: buckets in use; 0 before the first observation
    since: np.ndarray  # int64 [1]: calls of `review` since it last did something
    period: int
    decay: float


def new_buckets(histograms: int, most: int, period: int, decay: float) -> Buckets:
    return Buckets(
        edge=np.zeros((histograms, most + 1)),
        number=np.zeros((histograms, most)),
        mean=np.zeros((histograms, most)),
        squares=np.zeros((histograms, most)),
        used=np.zeros(histograms, np.int64),
        since=np.zeros(1, np.int64),
        period=period,
        decay=decay,
    )


@inner
def is_inside(buckets, which, offset):
    """Whether an offset lies within what was observed; no number lies nowhere."""
    return buckets.edge[which, 0] <= offset <= buckets.edge[which, buckets.used[which]]


@inner
def find_bucket(buckets, which, offset):
    bucket = 0
    while bucket + 1 < buckets.used[which] and offset >= buckets.edge[which, bucket + 1]:
        bucket += 1
    return bucket


@inner
def mean_at(buckets, which, bucket, offset):
    """The mean at an offset in a bucket, on straight lines between the middles of buckets."""
    mean = buckets.mean[which, bucket]
    middle = _middle(buckets, which, bucket)
    other = bucket - 1 if offset < middle else bucket + 1
    if other < 0 or other >= buckets.used[which]:
        return mean
    share = (offset - middle) / (_middle(buckets, which, other) - middle)
    return mean + (buckets.mean[which, other] - mean) * share


@inner
def _middle(buckets, which, bucket):
    return (buckets.edge[which, bucket] + buckets.edge[which, bucket + 1]) / 2


@inner
def observe(buckets, which, offset, value):
    edge, used = buckets.edge, buckets.used[which]
    if used == 0:
        buckets.used[which] = used = 1
        edge[which, 0] = edge[which, 1] = offset
    edge[which, 0] = min(edge[which, 0], offset)
    edge[which, used] = max(edge[which, used], offset)
    bucket = find_bucket(buckets, which, offset)
    buckets.number[which, bucket] += 1
    apart = value - buckets.mean[which, bucket]
    buckets.mean[which, bucket] += apart / buckets.number[which, bucket]
    buckets.squares[which, bucket] += apart * (value - buckets.mean[which, bucket])


@inner
def review(buckets):
    """After each period, forget a little and move buckets to where they are needed."""
    buckets.since[0] += 1
    if buckets.since[0] == buckets.period:
        buckets.since[0] = 0
        for which in range(len(buckets.used)):
            for bucket in range(buckets.used[which]):
                number = buckets.number[which, bucket] * buckets.decay
                buckets.number[which, bucket] = max(number, _LEAST)
                buckets.squares[which, bucket] *= buckets.decay
            _refine(buckets, which)


@inner
def _refine(buckets, which):
    chosen = _to_split(buckets, which)
    if chosen < 0:
        return
    if buckets.used[which] == buckets.number.shape[1]:
        pair = _to_merge(buckets, which, chosen)
        if pair < 0:
            return
        _, _, squares = _together(buckets, which, pair)
        if not squares < _WORTHWHILE * buckets.squares[which, chosen]:
            return
        _merge(buckets, which, pair)
        if pair < chosen:
            chosen -= 1
    _split(buckets, which, chosen)


@inner
def _to_split(buckets, which):
    """The bucket of the largest deviation that has a middle; -1 if there is none."""
    found, largest = -1, 0.0
    for bucket in range(buckets.used[which]):
        middle = _middle(buckets, which, bucket)
        has_middle = buckets.edge[which, bucket] < middle < buckets.edge[which, bucket + 1]
        if has_middle and buckets.squares[which, bucket] > largest:
            found, largest = bucket, buckets.squares[which, bucket]
    return found


@inner
def _to_merge(buckets, which, chosen):
    """The first of the two neighbours that deviate least as one; -1 if there are none."""
    found, least = -1, 0.0
    for bucket in range(buckets.used[which] - 1):
        if bucket not in (chosen, chosen - 1):
            _, _, squares = _together(buckets, which, bucket)
            if found < 0 or squares < least:
                found, least = bucket, squares
    return found


@inner
def _together(buckets, which, bucket):
    """Number, mean and squares of a bucket and the next one as one."""
    one, other = buckets.number[which, bucket], buckets.number[which, bucket + 1]
    apart = buckets.mean[which, bucket + 1] - buckets.mean[which, bucket]
    share = other / (one + other)
    mean = buckets.mean[which, bucket] + apart * share
    squares = buckets.squares[which, bucket] + buckets.squares[which, bucket + 1]
    return one + other, mean, squares + apart * apart * one * share


@inner
def _merge(buckets, which, bucket):
    number, mean, squares = _together(buckets, which, bucket)
    buckets.number[which, bucket] = number
    buckets.mean[which, bucket] = mean
    buckets.squares[which, bucket] = squares
    last = buckets.used[which] - 1
    for later in range(bucket + 1, last):
        _copy(buckets, which, later + 1, later)
    buckets.edge[which, last] = buckets.edge[which, last + 1]
    buckets.used[which] = last


@inner
def _split(buckets, which, bucket):
    used = buckets.used[which]
    middle = _middle(buckets, which, bucket)
    buckets.edge[which, used + 1] = buckets.edge[which, used]
    for later in range(used - 1, bucket - 1, -1):
        _copy(buckets, which, later, later + 1)
    buckets.edge[which, bucket + 1] = middle
    for half in range(bucket, bucket + 2):
        buckets.number[which, half] /= 2
        buckets.squares[which, half] /= 2
    buckets.used[which] = used + 1


@inner
def _copy(buckets, which, source, target):
    buckets.edge[which, target] = buckets.edge[which, source]
    buckets.number[which, target] = buckets.number[which, source]
    buckets.mean[which, target] = buckets.mean[which, source]
    buckets.squares[which, target] = buckets.squares[which, source]
