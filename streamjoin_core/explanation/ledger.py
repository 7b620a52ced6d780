"""The ledger: every lost pair with cause, step and the decision that lost it, as Parquet."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from streamjoin_core.explanation.counting import Pairs, list_partners
from streamjoin_core.explanation.fates import CAUSES
from streamjoin_core.files import atomic_path
from streamjoin_core.optimal.walk import step_starts
from streamjoin_core.progress import Progress
from streamjoin_core.trace.trace import Trace

if TYPE_CHECKING:
    from streamjoin_core.explanation.run import Analysis

_PAIRS_AT_ONCE = 1 << 20


def write_ledger(analysis: "Analysis", path: str | os.PathLike, progress: Progress) -> None:
    """One row for each lost pair, in the order of the tuples that were let go."""
    number = len(analysis.losses.lost)
    schema = _table(analysis, Pairs(*np.empty((2, 0), np.int32))).schema
    with (
        atomic_path(path) as temporary,
        pq.ParquetWriter(temporary, schema, compression="zstd") as writer,
    ):
        for rows in _portions(analysis.losses.lost):
            progress("writing the ledger", rows.start, number)
            # Whose window ended lost nothing, and starts where it ends.
            pairs = list_partners(
                analysis.join,
                analysis.losses.partners,
                analysis.fates.until,
                analysis.losses.lost,
                rows,
            )
            writer.write_table(_table(analysis, pairs))


def _portions(lost: np.ndarray) -> Iterator[range]:
    """Rows in pieces of about so many lost pairs each."""
    total = np.cumsum(lost)
    start = 0
    while start < len(lost):
        before = total[start - 1] if start else 0
        end = int(np.searchsorted(total, before + _PAIRS_AT_ONCE, "right"))
        end = max(end, start + 1)
        yield range(start, end)
        start = end


def _table(analysis: "Analysis", pairs: Pairs) -> pa.Table:
    join, fates, losses = analysis.join, analysis.fates, analysis.losses
    trace, (gone, missed) = join.trace, pairs
    starts = step_starts(trace.time)
    step = np.minimum(fates.left_step[gone], len(starts) - 2)
    rival = fates.rival[gone]
    columns = {
        "row": gone,
        "time": _times(trace, trace.time[gone]),
        "stream": pa.array(list(trace.labels)).take(trace.stream[gone]),
        "key": pa.array(trace.key_values).take(trace.key[gone]),
        "missed_row": missed,
        "missed_time": _times(trace, trace.time[missed]),
        "missed_step": np.searchsorted(starts, missed, "right") - 1,
        "missed_key": pa.array(trace.key_values).take(trace.key[missed]),
        "cause": pa.array([CAUSES.get(way) for way in _WAYS]).take(fates.way[gone]),
        "decision_step": step,
        "decision_time": _times(trace, trace.time[starts[step]]),
        "stayed_row": pa.array(rival, mask=rival < 0),
        "beside_idle": missed < losses.idle_until[gone],
    }
    if analysis.best is not None:
        columns["had_by_optimum"] = missed < analysis.best.until[gone]
    if trace.importance is not None:
        columns["importance"] = _combined(join, gone, missed)
    return pa.table(columns)


_WAYS = range(max(CAUSES) + 1)


def _combined(join, gone: np.ndarray, missed: np.ndarray) -> np.ndarray:
    one, other = join.trace.importance[gone], join.trace.importance[missed]
    return (np.minimum, np.maximum, np.add, np.multiply)[join.rules.combination](one, other)


def _times(trace: Trace, times: np.ndarray) -> pa.Array:
    return pa.array(times).cast(pa.timestamp(trace.time_unit) if trace.time_unit else pa.int64())
