"""`sjoin frontier`: what a policy's settings trade between importance and fairness."""

from pathlib import Path
from typing import Annotated

import typer

from cli import join_options as join
from cli import options
from cli.bundles import unpacked
from cli.source import Source

PolicyOption = Annotated[
    str, typer.Option("--policy", metavar="NAME[:KEY=VALUE,...]", help="The policy to vary.")
]
Vary = Annotated[
    list[str],
    typer.Option(
        "--vary",
        metavar="KEY=VALUES",
        help="A parameter and its values: tau=0:10:2 or delta=1s,5s; several times for several.",
    ),
]
Memory = Annotated[int, typer.Option("--mem", help="Tuples that fit in memory.", min=1)]
Beside = Annotated[
    str, typer.Option("--beside", metavar="POLICIES", help="Policies to compare it with.")
]
Plot = Annotated[Path | None, typer.Option("--plot", help="Draw it: .png, .svg or .pdf.")]


@unpacked
def frontier(
    *,
    vary: Vary,
    mem: Memory,
    policy: PolicyOption = "ijoin",
    beside: Beside = "fifo,rand,size,greedy",
    joined: join.Joined,
    seed: options.Seed = 0,
    source: Source,
    plot: Plot = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Show what a policy's settings trade between importance and fairness, and which are best.

    A setting is on the frontier if no other has more of the one and no less of the other.

    \b
    sjoin frontier trace.parquet --mem 10 --window 500 --vary tau=0:10:2 \\
        --vary delta=1:10:3
    sjoin frontier trace.parquet --mem 10 --vary c=0.1,1,10 --beside fifo,prob \\
        --plot curve.png
    """
    from cli.compiling import noting_compilation
    from cli.output import print_json, print_table
    from cli.progress import progress_bar
    from streamjoin_core.files import check_file
    from streamjoin_core.frontier import find_frontier, parse_varied
    from streamjoin_core.report.picture import SUFFIXES

    if plot is not None:
        check_file(plot, SUFFIXES)
    with progress_bar(quiet) as bar, noting_compilation(bar, quiet) as progress:
        found = find_frontier(
            lambda: source.read(progress),
            policy=policy,
            vary=parse_varied(vary),
            mem=mem,
            beside=beside,
            seed=seed,
            progress=progress,
            **joined.options(),
        )
    if plot is not None:
        from streamjoin_core.report.frontier import plot_frontier

        plot_frontier(found, plot)
    if as_json:
        print_json(found.as_dict())
    elif not (quiet and plot):
        from streamjoin_core.report.frontier import frontier_table

        print_table(frontier_table(found))
