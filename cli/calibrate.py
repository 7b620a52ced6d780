"""`sjoin calibrate`: what a tuple and a result cost on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from cli import options
from cli.output import print_json, print_table

Rows = Annotated[int, typer.Option("--rows", help="Length of each trace that is joined.")]
Repeats = Annotated[int, typer.Option("--repeats", help="How often each is timed.", min=1)]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write the costs, for sjoin shed --costs: .json."),
]


def calibrate(
    rows: Rows = 200_000,
    repeats: Repeats = 5,
    seed: options.Seed = 0,
    output: Output = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Measure the costs of a tuple and of a result, and tell how well they explain the times.

    The costs are in seconds, so that a budget of 0.5/s is half of one processor.

    \b
    sjoin calibrate -o costs.json
    sjoin shed trace.parquet --costs costs.json --budget 0.4 --strategy pni \\
        --window 10m
    """
    from cli.compiling import noting_compilation
    from cli.progress import progress_bar
    from streamjoin_core.files import check_file
    from streamjoin_core.shedding.calibration import calibrate as measure

    if output is not None:
        check_file(output, (".json",))
    with progress_bar(quiet) as bar, noting_compilation(bar, quiet) as progress:
        found = measure(rows=rows, repeats=repeats, seed=seed, progress=progress)
    if output is not None:
        from streamjoin_core.files import atomic_path
        from streamjoin_core.report.json_text import json_text

        with atomic_path(output) as temporary:
            temporary.write_text(json_text(found.as_dict()) + "\n", encoding="utf-8")
    if as_json:
        print_json(found.as_dict())
    elif not (quiet and output):
        from streamjoin_core.report.calibration_table import calibration_table

        print_table(calibration_table(found))
