"""Small joins with crossed options, once for the slow oracle and once for the solver."""

import os

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from streamjoin_core.engine.joining import Join, prepare_join
from streamjoin_core.options import parse_split
from streamjoin_core.trace.table import trace_from_arrays
from streamjoin_core.trace.trace import Trace
from tests.oracle.rules import window_pair
from tests.oracle.strategies import conditions, traces, windows

EXAMPLES = int(os.environ.get("SJOIN_EXAMPLES", "2000"))


def examples(share):
    return settings(max_examples=max(1, EXAMPLES // share), deadline=None, derandomize=True)


def column(values):
    """Strings stay objects, so that an empty column or an empty string keeps its kind."""
    is_text = any(isinstance(value, str) for value in values)
    return np.array(values, dtype=object if is_text else None if values else np.int64)


def as_trace(rows) -> Trace:
    """The rows as a trace; importances that are all 1 are left out."""
    time, stream, key, importance, _ = zip(*rows, strict=True) if rows else ((),) * 5
    return trace_from_arrays(
        np.array(time, dtype=np.int64),
        column(key),
        np.array(["R", "S"])[list(stream)] if rows else np.array([], dtype="<U1"),
        importance=None if set(importance) <= {1.0} else np.array(importance),
    )


def as_join(rows, options) -> Join:
    """What the solver takes for the options of the slow join."""
    later = sorted({row[0] for row in rows})[options.get("warmup", 0) :]
    first_counted = next((i for i, row in enumerate(rows) if row[0] in later[:1]), len(rows))
    return prepare_join(
        as_trace(rows),
        window=window_pair(options.get("window")),
        by_tuples=options.get("window_kind") == "tuples",
        evict_first=False,
        on=options.get("on", "="),
        band=options.get("band"),
        combination=options.get("combine", "min"),
        first_counted=first_counted,
    )


def as_parts(options) -> tuple[int, ...]:
    return parse_split(options["split"]).parts(options["mem"])


@st.composite
def questions(draw, max_rows=9, largest_memory=3) -> tuple:
    """A trace, and options as keywords of the brute force, everything crossed."""
    rows = draw(traces(max_rows))
    if draw(st.integers(0, 3)) == 0:
        # Thirds are not dyadic, so they cannot be added up exactly.
        rows = [(time, stream, key, imp / 3, group) for time, stream, key, imp, group in rows]
    return rows, {
        **draw(conditions(numeric=not any(isinstance(row[2], str) for row in rows))),
        "window": draw(st.one_of(st.none(), windows())),
        "window_kind": draw(st.sampled_from(["time", "tuples"])),
        "combine": draw(st.sampled_from(["min", "max", "sum", "product"])),
        "warmup": draw(st.sampled_from([0, 0, 0, 1, 3])),
        "split": draw(st.sampled_from(["shared", "shared", "even", "1:3", "2:1", "0:1"])),
        "mem": draw(st.integers(1, largest_memory)),
        "objective": draw(st.sampled_from(["results", "importance"])),
    }
