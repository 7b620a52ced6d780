"""Options that several commands share: one name and one meaning everywhere."""

from pathlib import Path
from typing import Annotated

import typer

Trace = Annotated[
    Path | None,
    typer.Argument(help="Parquet file, or folder of them, with the arrivals.", show_default=False),
]
Left = Annotated[
    Path | None,
    typer.Option("--left", help="Left stream's file; with --right instead of TRACE."),
]
Right = Annotated[Path | None, typer.Option("--right", help="Right stream's file.")]
TimeColumn = Annotated[str, typer.Option("--time-col", help="Column with the arrival time.")]
StreamColumn = Annotated[str, typer.Option("--stream-col", help="Column with the stream's label.")]
KeyColumn = Annotated[str, typer.Option("--key-col", help="Column with the join key.")]
ImportanceColumn = Annotated[
    str, typer.Option("--importance-col", help="Column with the importance, if there is one.")
]
ImportanceTable = Annotated[
    Path | None,
    typer.Option(
        "--importance",
        metavar="FILE",
        help="CSV table of importances by key, stream or another column, over time if need be.",
    ),
]
ImportanceBins = Annotated[
    Path | None,
    typer.Option(
        "--importance-bins",
        metavar="FILE",
        help="The same by bins of numbers: each value listed is where a bin starts.",
    ),
]
ValueColumn = Annotated[
    str, typer.Option("--value-col", help="Column to aggregate over, if there is one.")
]
Sort = Annotated[bool, typer.Option("--sort", help="Sort by time instead of refusing disorder.")]
NullKeys = Annotated[
    str, typer.Option("--null-keys", metavar="error|drop", help="What to do with rows without key.")
]
Problem = Annotated[
    str, typer.Option("--problem", metavar="joining|caching", help="Two streams, or one.")
]


def complete_policies(incomplete: str) -> list[str]:
    """For the shell: names that go on from the last of a list."""
    from streamjoin_core.policies.registry import policy_names

    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in policy_names() if name.startswith(last)]


Seed = Annotated[int, typer.Option("--seed", help="Seed of everything random.", min=0)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no notes.")]
Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot", metavar="FILE", help="Draw the curves: .png, .svg, .pdf, or - for the terminal."
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", help="Processes at work.", min=1, show_default="one for each core"),
]
