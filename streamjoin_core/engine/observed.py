"""Candidates scored by what tuples like them gave while they were in memory, learnt as it goes.

`policies.hist` states the rule. Each stream has two histograms, of results and of inverse stays,
over the offsets at which its tuples entered, and this for either form of the other stream, so that
the one that tells better can be asked at any time. Scores change with every tuple that leaves, so
all arrivals of a step enter before anyone does.
"""

from math import inf, isnan, nan, sqrt
from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.ageing import never_yields
from streamjoin_core.engine.buckets import (
    Buckets,
    find_bucket,
    is_inside,
    mean_at,
    new_buckets,
    observe,
    review,
)
from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.condition import Condition, KeyCounts, count, joining, new_counts
from streamjoin_core.engine.joining import JoinTask, slots_needed
from streamjoin_core.engine.loop import BOTH, replay_join
from streamjoin_core.engine.memory import NONE
from streamjoin_core.engine.tracking import (
    LAST,
    LINE,
    Tracking,
    better_form,
    line_at,
    new_tracking,
    track,
)

PERIOD = 50  # tuples that leave between two reviews of the histograms
HOPE = 2.0


class Observed(NamedTuple):
    time: np.ndarray  # int64 [row]
    row: np.ndarray  # int64 [1]: the next arrival to be seen
    value: np.ndarray  # float64 [key]: from the first arrival's
    tracking: Tracking
    form: np.ndarray  # int64 [stream]: how the other stream moves
    is_auto: bool  # whether that is found out as it goes
    centre: np.ndarray  # float64 [stream, form]: where the other stream is; nan before it arrives
    buckets: Buckets  # histograms of results at 2 (2 stream + form), of inverse stays behind each
    past: KeyCounts  # all arrivals so far
    condition: Condition
    offset: np.ndarray  # float64 [slot, form]: when it entered
    met: np.ndarray  # int64 [slot]: joining arrivals before it entered


def new_observed(task: JoinTask, buckets: int, decay: float, form: int | None) -> Observed:
    join = task.join
    slots = slots_needed(task, ranks=False)
    return Observed(
        time=join.rows.time,
        row=np.zeros(1, np.int64),
        value=distances(join.trace),
        tracking=new_tracking(2),
        form=np.full(2, form or LINE),
        is_auto=form is None,
        centre=np.full((2, 2), nan),
        buckets=new_buckets(8, buckets, PERIOD, decay),
        past=new_counts(join.number_of_keys, join.rules.condition.kind),
        condition=join.rules.condition,
        offset=np.zeros((slots, 2)),
        met=np.zeros(slots, np.int64),
    )


def distances(trace) -> np.ndarray:
    """Key values as doubles, counted from the first arrival's, where rounding is least."""
    values = trace.key_values.astype(np.float64)
    return values - values[trace.key[:1]] if len(values) else values


@inner
def _seen(observed, memory, stream, key):
    row = observed.row[0]
    observed.row[0] = row + 1
    now = observed.time[row]
    track(observed.tracking, stream, now, observed.value[key])
    count(observed.past, observed.condition.kind, stream, key, 1)
    # Only the last arrival of a step decides where its candidates stand.
    if row + 1 == len(observed.time) or observed.time[row + 1] != now:
        _move(observed, 0, now)
        _move(observed, 1, now)


@inner
def _move(observed, stream, now):
    other = 1 - stream
    if observed.tracking.number[other] > 0:
        observed.centre[stream, LINE], _ = line_at(observed.tracking, other, now)
        observed.centre[stream, LAST] = observed.tracking.last[other]
        if observed.is_auto:
            observed.form[stream] = better_form(observed.tracking, other)


@inner
def _score(observed, stream, key):
    form = observed.form[stream]
    results = 2 * (2 * stream + form)
    return expected_rate(
        observed.buckets, results, observed.value[key] - observed.centre[stream, form]
    )


@inner
def expected_rate(buckets, results, offset):
    """What to hope for at an offset, weighed down by how long it takes."""
    if buckets.used[results] == 0:
        return inf
    if not is_inside(buckets, results, offset):
        return 0.0
    bucket = find_bucket(buckets, results, offset)
    doubt = sqrt(1 + buckets.squares[results, bucket]) / buckets.number[results, bucket]
    benefit = mean_at(buckets, results, bucket, offset) + HOPE * doubt
    stays = results + 1
    return benefit * mean_at(buckets, stays, find_bucket(buckets, stays, offset), offset)


@inner
def _entered(observed, memory, slot):
    stream, key = memory.stream[slot], memory.key[slot]
    for form in range(2):
        observed.offset[slot, form] = observed.value[key] - observed.centre[stream, form]
    observed.met[slot] = joining(observed.past, observed.condition, stream, key)


@inner
def _left(observed, memory, slot):
    """Who leaves is an observation; at the start of a step, that of the step before."""
    stay = observed.time[max(observed.row[0] - 1, 0)] - observed.time[memory.row[slot]]
    if stay > 0 and not isnan(observed.offset[slot, LINE]):
        stream, key = memory.stream[slot], memory.key[slot]
        results = joining(observed.past, observed.condition, stream, key) - observed.met[slot]
        for form in range(2):
            offset, which = observed.offset[slot, form], 2 * (2 * stream + form)
            observe(observed.buckets, which, offset, float(results))
            observe(observed.buckets, which + 1, offset, 1.0 / stay)
        review(observed.buckets)


@inner
def _worst(observed, memory, part):
    lowest, least = NONE, 0.0
    row_of_lowest = np.int32(0)
    for slot in range(len(memory.row)):
        row, stream = memory.row[slot], memory.stream[slot]
        if row < 0 or (part != BOTH and stream != part):
            continue
        score = _score(observed, stream, memory.key[slot])
        if lowest == NONE or score < least or (score == least and row < row_of_lowest):
            lowest, least, row_of_lowest = np.uint32(slot), score, row
    return lowest


@entry_point
def replay_observed(run, observed):
    replay_join(run, observed, _seen, _entered, _left, _worst, never_yields)
