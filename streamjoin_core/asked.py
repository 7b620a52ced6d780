"""The join that a command is about: options checked first, then the trace is read."""

from streamjoin_core.engine.condition import COMPARISONS
from streamjoin_core.engine.joining import Join, prepare_join
from streamjoin_core.errors import InputError
from streamjoin_core.options import WINDOW_KINDS, one_of, parse_band, window_of_kind
from streamjoin_core.progress import Progress, silent
from streamjoin_core.trace.given import as_trace


def ask_join(
    trace,
    *,
    window=None,
    window_kind: str = "time",
    on: str = "=",
    band=None,
    progress: Progress | None = None,
) -> Join:
    """A trace, or what gives one, as the join of its two streams; all that occurs counts."""
    one_of("window kind", window_kind, WINDOW_KINDS)
    one_of("join condition", on, COMPARISONS)
    bounds = parse_band(band)
    if bounds is not None and on != "=":
        raise InputError("a join has one condition: leave out either --on or --band")
    trace = as_trace(trace, "joining", progress or silent)
    return prepare_join(
        trace,
        window=window_of_kind(window, window_kind, trace.time_unit),
        by_tuples=window_kind == "tuples",
        evict_first=False,
        on=on,
        band=bounds,
        combination="min",
        first_counted=0,
    )


def asked_options(join: Join) -> dict:
    """What a report tells of the join."""
    return {
        "window": join.rules.window.tolist() if join.has_window else None,
        "window_kind": "tuples" if join.rules.by_tuples else "time",
        "time_unit": join.trace.time_unit,
        "on": join.on,
        "band": join.band,
    }


def told_trace(join: Join) -> dict:
    return join.trace.account()
