"""The inspection of a trace."""

from collections.abc import Callable

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.inspection.arrivals import first_rows_of_steps, mean_gap, rate, times
from streamjoin_core.inspection.caching import caching
from streamjoin_core.inspection.how_made import how_made
from streamjoin_core.inspection.joining import joining
from streamjoin_core.inspection.question import make_question
from streamjoin_core.inspection.report import Inspection, Keys, Stream
from streamjoin_core.inspection.skew import skew
from streamjoin_core.inspection.trend import trends
from streamjoin_core.trace.trace import Trace
from streamjoin_core.version import installed_version


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
) -> Inspection:
    """Tell what is in a trace, and how much memory a join or a cache would need to lose nothing.

    All options are checked before a trace is read; a function that returns a trace is called then.
    They mean what they mean to `replay`; `top` is how many of the most frequent keys are named.

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
    trace = trace if isinstance(trace, Trace) else trace()
    is_caching = problem == "caching"
    if is_caching and len(trace.labels) > 1:
        raise InputError(f"{trace.origin} has two streams: caching takes one stream of references")
    options = question.as_dict(trace)
    first_rows = first_rows_of_steps(trace.time)
    first_counted = question.first_counted(first_rows, len(trace))
    counts = _key_counts(trace)
    return Inspection(
        sjoin=installed_version(),
        trace={"path": trace.origin, "rows": len(trace), "fingerprint": trace.fingerprint},
        options=options,
        time=times(trace, first_rows),
        streams=_streams(trace, counts, question.top),
        keys=_keys(counts),
        joining=None if is_caching else joining(trace, question, first_counted),
        caching=caching(trace, first_counted) if is_caching else None,
        metadata=how_made(trace.metadata),
    )


def _key_counts(trace: Trace) -> list[np.ndarray]:
    """How often each key occurs in the left and in the right stream."""
    number = len(trace.key_values)
    return [np.bincount(trace.key[trace.stream == side], minlength=number) for side in range(2)]


def _streams(trace: Trace, counts: list[np.ndarray], top: int) -> tuple[Stream, ...]:
    described = zip(trace.labels, counts, trends(trace), strict=False)
    return tuple(
        Stream(
            label=label,
            rows=int(own.sum()),
            rate=rate(trace, int(own.sum())),
            mean_gap=mean_gap(trace, trace.time[trace.stream == side]),
            trend=trend,
            **skew(trace, own, top),
        )
        for side, (label, own, trend) in enumerate(described)
    )


def _keys(counts: list[np.ndarray]) -> Keys:
    left, right = (own > 0 for own in counts)
    return Keys(
        distinct=int(np.count_nonzero(left | right)),
        left=int(np.count_nonzero(left)),
        right=int(np.count_nonzero(right)),
        both=int(np.count_nonzero(left & right)),
    )
