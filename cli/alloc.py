"""`sjoin alloc`: one memory for several joins."""

from pathlib import Path
from typing import Annotated

import typer

from cli import join_options as join
from cli import options
from cli.bundles import unpacked
from cli.sample import Memory
from cli.source import Columns

Traces = Annotated[list[Path], typer.Argument(help="One trace for each join.", show_default=False)]
Weights = Annotated[
    str | None,
    typer.Option("--weights", metavar="W1,W2,...", help="How much recall each is to have."),
]
Method = Annotated[
    str, typer.Option("--method", metavar="alloc|prop", help="Equal recall, or equal shares.")
]
PolicyName = Annotated[
    str, typer.Option("--policy", metavar="NAME[:KEY=VALUE,...]", help="The policy of all joins.")
]
Curve = Annotated[
    str,
    typer.Option(
        "--curve", metavar="theory|measured|optimal", help="Where recall over memory is from."
    ),
]


@unpacked
def alloc(
    *,
    traces: Traces,
    mem: Memory,
    weights: Weights = None,
    method: Method = "alloc",
    policy: PolicyName = "age",
    curve: Curve = "theory",
    split: join.Split = "shared",
    window: join.Window = None,
    window_kind: join.WindowKind = "time",
    on: join.On = "=",
    band: join.Band = None,
    age_curve: join.AgeCurve = "learn",
    seed: options.Seed = 0,
    columns: Columns,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Divide a memory among joins so that the smallest recall is as large as can be.

    The division is replayed, beside one in proportion to what each join would need.

    \b
    sjoin alloc orders.parquet bids.parquet --mem 500 --window 500
    sjoin alloc a.parquet b.parquet --mem 500 --window 500 --policy prob \\
        --weights 1,2
    sjoin alloc a.parquet b.parquet --mem 500 --policy fifo --curve measured
    """
    from cli.compiling import noting_compilation
    from cli.output import print_json, print_table
    from cli.progress import progress_bar
    from streamjoin_core.allocation import alloc as divide
    from streamjoin_core.report.alloc import allocation_text

    with progress_bar(quiet) as bar, noting_compilation(bar, quiet) as progress:
        found = divide(
            [columns.reader(progress, path) for path in traces],
            mem=mem,
            weights=weights,
            method=method,
            policy=policy,
            curve=curve,
            split=split,
            window=window,
            window_kind=window_kind,
            on=on,
            band=band,
            age_curve=age_curve,
            seed=seed,
            progress=progress,
        )
    if as_json:
        print_json(found.as_dict())
    else:
        print_table(allocation_text(found))
