"""The inspection of a trace."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from streamjoin_core.errors import InputError
from streamjoin_core.inspection.arrivals import (
    first_rows_of_steps,
    mean_gap,
    rate,
    times,
    units_per_unit,
)
from streamjoin_core.inspection.caching import caching
from streamjoin_core.inspection.how_made import how_made
from streamjoin_core.inspection.joining import joining
from streamjoin_core.inspection.parts import Part, Timeline, look_at, timeline_of
from streamjoin_core.inspection.question import Question, make_question
from streamjoin_core.inspection.report import Inspection, Keys, Stream
from streamjoin_core.inspection.skew import skew
from streamjoin_core.inspection.trend import trend_of
from streamjoin_core.progress import Progress
from streamjoin_core.trace.trace import Trace
from streamjoin_core.version import installed_version

if TYPE_CHECKING:
    from streamjoin_core.spark.cluster import Cluster


def inspect(
    trace: Trace | Callable[[], Trace],
    *,
    window: str | int | tuple | list | None = None,
    window_kind: str = "time",
    on: str = "=",
    band: str | tuple | list | None = None,
    warmup: int = 0,
    problem: str = "joining",
    top: int = 10,
    partitions: int | None = None,
    spark: "Cluster | None" = None,
    progress: Progress | None = None,
) -> Inspection:
    """Tell what is in a trace, and how much memory a join or a cache would need to lose nothing.

    All options are checked before a trace is read; a function that returns a trace is called then.
    They mean what they mean to `replay`; `top` is how many of the most frequent keys are named.
    With `spark` a cluster looks, at a trace that is a path or a `Recording`, cut into `partitions`.

    >>> from streamjoin_core.trace import trace_from_arrays
    >>> trace = trace_from_arrays([1, 2, 3, 4], ["a", "b", "a", "b"], ["R", "R", "S", "S"])
    >>> found = inspect(trace).joining
    >>> found.exact, found.memory_for_full_recall, found.most_in_window
    (2, 2, 4)
    """
    question = make_question(
        problem=problem,
        window=window,
        window_kind=window_kind,
        on=on,
        band=band,
        warmup=warmup,
        top=top,
    )
    if spark is not None:
        from streamjoin_core.spark.inspection import inspect_on

        return inspect_on(spark, question, trace, partitions, progress)
    if partitions is not None:
        raise InputError("partitions are for Spark here: give --spark, or leave --partitions out")
    trace = trace if isinstance(trace, Trace) else trace()
    is_caching = problem == "caching"
    if is_caching and len(trace.labels) > 1:
        raise InputError(f"{trace.origin} has two streams: caching takes one stream of references")
    first_rows = first_rows_of_steps(trace.time)
    first_counted = question.first_counted(first_rows, len(trace))
    part, _, needs = look_at(trace, question, first_counted)
    account = {"path": trace.origin, "rows": len(trace), "fingerprint": trace.fingerprint}
    found = tell(question, trace, part, timeline_of(trace, first_rows, needs), account)
    return replace(found, caching=caching(trace, first_counted)) if is_caching else found


def tell(
    question: Question, trace: Trace, part: Part, timeline: Timeline, account: dict
) -> Inspection:
    """The inspection of a trace, of which rows are not looked at; caching is left out."""
    return Inspection(
        sjoin=installed_version(),
        trace=account,
        options=question.as_dict(trace),
        time=times(part, timeline, trace.time_unit),
        streams=_streams(trace, part),
        keys=_keys(part),
        joining=None if part.joining is None else joining(part, timeline, trace.time_unit),
        caching=None,
        metadata=how_made(trace.metadata),
    )


def _streams(trace: Trace, part: Part) -> tuple[Stream, ...]:
    unit = trace.time_unit
    return tuple(
        Stream(
            label=label,
            rows=own.rows,
            rate=rate(part, own.rows, unit),
            mean_gap=mean_gap(own.first, own.last, own.rows, unit),
            trend=trend_of(own.moments, units_per_unit(unit)),
            **skew(own.frequencies, own.top),
        )
        for label, own in zip(trace.labels, part.streams, strict=False)
    )


def _keys(part: Part) -> Keys:
    left, right = (stream.frequencies.total() for stream in part.streams)
    return Keys(part.distinct_keys, left, right, part.keys_in_both)
