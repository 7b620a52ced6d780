"""`sjoin compare`: two reports side by side."""

from pathlib import Path
from typing import Annotated

import typer

from cli import options

First = Annotated[Path, typer.Argument(metavar="A.json", help="Report of replay or sweep, JSON.")]
Second = Annotated[Path, typer.Argument(metavar="B.json", help="The one to compare with it.")]


def compare(
    first: First,
    second: Second,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Show two reports side by side, and mark the differences that chance does not explain.

    Runs of the same policy and memory are compared, those that draw paired over their seeds.
    With --quiet only the runs that differ significantly are shown.

    \b
    sjoin replay trace.parquet --policy rand,prob --mem 10 --seeds 20 -o a.json
    sjoin replay trace.parquet --policy rand,prob --mem 10 --seeds 20 \\
        --window 500 -o b.json
    sjoin compare a.json b.json
    sjoin compare a.json b.json --json
    """
    from cli.output import print_json, print_table
    from streamjoin_core.comparison import compare as run
    from streamjoin_core.report.comparison_table import comparison_table

    found = run(first, second)
    if as_json:
        print_json(found.as_dict())
    else:
        print_table(comparison_table(found, only_significant=quiet))
