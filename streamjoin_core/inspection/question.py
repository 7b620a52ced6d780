"""What an inspection is asked: its options, checked before any work is done."""

from dataclasses import asdict, dataclass

import numpy as np

from streamjoin_core.engine.condition import COMPARISONS
from streamjoin_core.errors import InputError
from streamjoin_core.options import (
    one_of,
    parse_band,
    refuse_join_options,
    whole_number,
    window_of_kind,
)
from streamjoin_core.trace.trace import Trace

# What has no meaning when there is one stream of references.
_JOIN_ONLY = ("window", "window_kind", "on", "band")


@dataclass(frozen=True)
class Question:
    """Checked as far as that goes without the trace."""

    problem: str
    window: str | int | tuple | list | None  # its unit is the trace's
    window_kind: str
    on: str
    band: tuple[int | float, int | float] | None
    warmup: int
    top: int

    def window_in(self, trace: Trace) -> tuple[int, int] | None:
        """The windows of left and right, in the trace's unit of time or in tuples."""
        return window_of_kind(self.window, self.window_kind, trace.time_unit)

    def first_counted(self, first_rows: np.ndarray, rows: int) -> int:
        """The first row after warm-up, given the first row of each step."""
        return int(first_rows[self.warmup]) if self.warmup < len(first_rows) else rows

    def as_dict(self, trace: Trace) -> dict:
        """All options that took effect, as the report records them."""
        options = asdict(self) | {"time_unit": trace.time_unit}
        if self.problem == "caching":
            return {name: given for name, given in options.items() if name not in _JOIN_ONLY}
        return options | {"window": self.window_in(trace)}


def make_question(*, problem: str, warmup: int, top: int, **joining) -> Question:
    """Check the options of `inspect`; `joining` are those that only the joining problem has."""
    one_of("problem", problem, ("joining", "caching"))
    if problem == "caching":
        refuse_join_options(joining)
    if joining["band"] is not None and joining["on"] != "=":
        raise InputError("a join has one condition: leave out either --on or --band")
    return Question(
        problem=problem,
        window=joining["window"],
        window_kind=one_of("window kind", joining["window_kind"], ("time", "tuples")),
        on=one_of("join condition", joining["on"], COMPARISONS),
        band=parse_band(joining["band"]),
        warmup=whole_number("warm-up", warmup, least=0),
        top=whole_number("number of top keys", top, least=0),
    )
