"""What an optimum rests on, as Parquet files: the schedule, and the prices of memory."""

import os
from dataclasses import replace

import numpy as np
import pyarrow as pa

from streamjoin_core.optimal.schedule import Schedule
from streamjoin_core.optimal.solution import Solution
from streamjoin_core.optimal.walk import step_starts
from streamjoin_core.trace.write import write_trace


def write_schedule(schedule: Schedule, path: str | os.PathLike) -> None:
    """One row per arrival: whether it enters, when it leaves, and what it produces until then."""
    join = schedule.join
    importance = schedule.importance
    if importance is None:
        importance = schedule.results * join.weight_of_a_pair
    stays_out = ~schedule.enters
    columns = {
        "row": np.arange(len(stays_out)),
        "enters": schedule.enters,
        "entry_time": _times(join, join.rows.time, stays_out),
        "leaving_time": _times(join, schedule.leaving_time, stays_out),
        "results": schedule.results,
        "importance": importance,
    }
    plain = replace(join.trace, importance=None, value=None)
    extra = {name: pa.array(column).dictionary_encode() for name, column in columns.items()}
    write_trace(plain, path, {}, extra=extra)


def _times(join, times: np.ndarray, is_missing: np.ndarray) -> pa.Array:
    unit = join.trace.time_unit
    return pa.array(times, mask=is_missing).cast(pa.timestamp(unit) if unit else pa.int64())


def price_columns(solution: Solution) -> dict[str, np.ndarray]:
    """What a slot of the kept memory is worth from each step to the next, for each part."""
    prices = solution.certificate.prices
    names = ("price",) if len(prices) == 1 else ("price_left", "price_right")
    unit = 1 if solution.benefit.objective == "results" else solution.benefit.unit
    return {name: column * unit for name, column in zip(names, prices, strict=True)}


def step_times(solution: Solution) -> np.ndarray:
    time = solution.join.rows.time
    return time[step_starts(time)[:-1]]


def write_prices(solution: Solution, path: str | os.PathLike) -> None:
    """One row per step: what one more slot of memory would have gained from it to the next."""
    times = step_times(solution)
    nothing_missing = np.zeros(len(times), bool)
    columns = {"step": np.arange(len(times)), "time": _times(solution.join, times, nothing_missing)}
    write_trace(pa.table(columns | price_columns(solution)), path)
