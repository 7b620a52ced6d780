"""A sample of a join as a table, a picture and a file of results."""

import os

import numpy as np
import pyarrow as pa
from rich.console import Group
from rich.text import Text

from streamjoin_core.report.picture import picture
from streamjoin_core.report.table import UNDEFINED, number_text, plain_table
from streamjoin_core.sampling.run import SampleReport
from streamjoin_core.trace.write import write_trace

_MOST_SHOWN = 10


def sample_text(report: SampleReport) -> Group:
    options = report.options
    by = f", n(s) by {options['by']}" if options["by"] else ""
    lines = [
        f"{report.trace['path']}: {report.trace['rows']:,} rows; {report.exact:,} results",
        f"{options['method']}{by}, p = {report.p:.6g}",
        f"memory promised {report.memory_promised:,}, expected {report.memory_expected:,.1f} "
        f"with a deviation of {report.memory_deviation:,.1f}",
        f"{options['aggregate']} over the last {options['agg_window']:,}",
        "",
    ]
    table = plain_table(
        ["seed", "sample", "fraction", "memory\nmean", "memory\nmax", "error\nmean", "error\nmax"]
    )
    for run in report.runs[:_MOST_SHOWN]:
        table.add_row(
            str(run.seed),
            f"{run.sample_size:,}",
            number_text(run.sampling_fraction),
            UNDEFINED if run.memory_mean is None else f"{run.memory_mean:,.1f}",
            f"{run.memory_max:,}",
            number_text(run.error_mean),
            number_text(run.error_max),
        )
    parts = [*map(Text, lines), table]
    error = report.summary and report.summary["error_mean"]
    if error:
        told = f"\nOver {len(report.runs)} seeds: mean error {error['mean']:.4f}, "
        parts.append(Text(told + f"95 % interval {error['low']:.4f} to {error['high']:.4f}"))
    return Group(*parts)


def plot_sample(report: SampleReport, path: str | os.PathLike) -> None:
    """The aggregate of all results, and its estimate, over time."""
    times = report.times
    if report.join.trace.time_unit:
        times = times.astype(f"datetime64[{report.join.trace.time_unit}]")
    with picture(path) as (axes,):
        axes.plot(times, report.over_time.estimated, color="#d1603d", label="from the sample")
        axes.plot(times, report.over_time.true, color="#1f4e79", label="of all results")
        axes.set_xlabel("time")
        axes.set_ylabel(f"{report.options['aggregate']} of the results in window")
        axes.set_title(f"{report.options['method']}, memory {report.memory_promised:,}")
        axes.legend(frameon=False)


def write_sample(report: SampleReport, path: str | os.PathLike) -> None:
    """One row per sampled result: its rows, keys, time, values and the weight of an estimate."""
    trace, drawn = report.join.trace, report.sample
    is_left = trace.stream[drawn.earlier] == 0
    left = np.where(is_left, drawn.earlier, drawn.later)
    right = np.where(is_left, drawn.later, drawn.earlier)
    time = pa.array(trace.time[drawn.later])
    columns = {
        "time": time.cast(pa.timestamp(trace.time_unit)) if trace.time_unit else time,
        "left_row": left,
        "right_row": right,
        "left_key": pa.array(trace.key_values[trace.key[left]]),
        "right_key": pa.array(trace.key_values[trace.key[right]]),
        "weight": report.weights[drawn.earlier],
    }
    if trace.value is not None:
        columns |= {"left_value": trace.value[left], "right_value": trace.value[right]}
    write_trace(pa.table(columns), path)
