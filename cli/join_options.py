"""Options that say what join is asked: memory, window, condition and what counts."""

from dataclasses import asdict, dataclass
from typing import Annotated

import typer

Memories = Annotated[
    str | None,
    typer.Option(
        "--mem",
        metavar="M",
        help="Tuples that fit in memory: 10, 5,10,20 or FIRST:LAST:STEP.",
        show_default="no limit, for exact, ttl and jtl",
    ),
]
Window = Annotated[
    str | None,
    typer.Option(
        "--window",
        metavar="W[:W_S]",
        help="How long a tuple can join, on the left and on the right: 500, 10:15 or 2h:24h.",
        show_default="for ever",
    ),
]
WindowKind = Annotated[
    str, typer.Option("--window-kind", metavar="time|tuples", help="What the window counts.")
]
Split = Annotated[
    str | None,
    typer.Option(
        "--split",
        metavar="shared|even|A:B|auto",
        help="One pool, or a share of it for each stream; auto by their age curves.",
        show_default="shared, but even for ijoin",
    ),
]
Order = Annotated[
    str,
    typer.Option(
        "--order",
        metavar="probe-first|evict-first",
        help="Whether arrivals join before or after the memory is brought to size.",
    ),
]
On = Annotated[
    str, typer.Option("--on", metavar="OP", help="Join when key_R OP key_S: = != < <= >= or >.")
]
Band = Annotated[
    str | None,
    typer.Option("--band", metavar="LO:HI", help="Join when key_S - key_R is from LO to HI."),
]
Combine = Annotated[
    str,
    typer.Option(
        "--combine",
        metavar="min|max|sum|product",
        help="The importance of a result from those of its two tuples.",
    ),
]
Warmup = Annotated[
    int, typer.Option("--warmup", metavar="STEPS", help="Count no results of the first steps.")
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="FILE|auto",
        help="JSON file with what is known of each stream; auto fits it to the first rows.",
        show_default="what the trace itself tells",
    ),
]
FitPrefix = Annotated[
    str | None,
    typer.Option(
        "--fit-prefix",
        metavar="SHARE",
        help="Share of the rows that --model auto is fitted to.",
        show_default="0.2",
    ),
]
Life = Annotated[
    str | None,
    typer.Option(
        "--life",
        metavar="exp|fixed:N|inf|inv",
        help="How long heeb expects tuples to stay; inf and inv for caching.",
        show_default="exp",
    ),
]
Alpha = Annotated[
    str | None,
    typer.Option(
        "--alpha",
        metavar="A|adaptive|auto",
        help="Of life exp: mean stay in time units, the observed one, or whichever does best.",
        show_default="by the model",
    ),
]
Lookahead = Annotated[
    int | None,
    typer.Option(
        "--lookahead",
        metavar="L",
        help="Time units that flowexpect's plans look ahead.",
        show_default="5",
    ),
]
AgeCurve = Annotated[
    str,
    typer.Option(
        "--age-curve",
        metavar="learn|prefix[:SHARE]|FILE",
        help="Where age curves come from: the trace, its beginning, or a JSON file.",
    ),
]
CountSameStep = Annotated[
    bool, typer.Option("--count-same-step", help="Count results within one step, too.")
]


@dataclass(frozen=True)
class Known:
    """What policies know or learn of the streams; see `cli.bundles.unpacked`."""

    model: Model = None
    life: Life = None
    alpha: Alpha = None
    lookahead: Lookahead = None
    fit_prefix: FitPrefix = None
    age_curve: AgeCurve = "learn"

    def options(self) -> dict:
        """What the core's functions take under the same names."""
        return asdict(self)


@dataclass(frozen=True)
class Joined:
    """Which pairs there are and how they are counted; see `cli.bundles.unpacked`."""

    window: Window = None
    window_kind: WindowKind = "time"
    split: Split = None
    order: Order = "probe-first"
    on: On = "="
    band: Band = None
    combine: Combine = "min"
    warmup: Warmup = 0
    count_same_step: CountSameStep = False

    def options(self) -> dict:
        """What the core's functions take under the same names."""
        return asdict(self)
