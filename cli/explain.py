"""`sjoin explain`: where a policy lost its results."""

from pathlib import Path
from typing import Annotated

import typer

from cli import join_options as join
from cli import options
from cli.bundles import unpacked
from cli.source import Source

OnePolicy = Annotated[
    str,
    typer.Option(
        "--policy",
        metavar="NAME[:KEY=VALUE,...]",
        autocompletion=options.complete_policies,
        help="The policy to explain.",
    ),
]
OneMemory = Annotated[str, typer.Option("--mem", metavar="M", help="Tuples that fit in memory.")]
Ledger = Annotated[
    Path | None,
    typer.Option("--ledger", metavar="FILE", help="Write every lost pair: .parquet."),
]
Top = Annotated[int, typer.Option("--top", help="Name so many keys and decisions.", min=0)]
WithOptimum = Annotated[
    bool, typer.Option("--opt/--no-opt", help="Compare with the best that anyone could do.")
]


@unpacked
def explain(
    *,
    policy: OnePolicy,
    mem: OneMemory,
    joined: join.Joined,
    ledger: Ledger = None,
    top: Top = 10,
    opt: WithOptimum = True,
    seed: options.Seed = 0,
    known: join.Known,
    plot: options.Plot = None,
    source: Source,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Tell where a policy lost results: by which decisions, causes, streams, keys and when.

    Beside each loss stands how much of it the optimum has (one of the best schedules, if several
    are equally good). A loss is beside an idle tuple if, all the while, memory held another one
    that gave nothing any more. The worst decisions name the tuple that stayed instead, and what
    that gave from then on.

    \b
    sjoin explain trace.parquet --policy heeb --mem 10
    sjoin explain trace.parquet --policy prob --mem 100 --window 500 --top 20 \\
        --plot -
    sjoin explain trace.parquet --policy fifo --mem 100 --ledger losses.parquet
    sjoin explain long.parquet --policy fifo --mem 100000 --no-opt --json
    """
    from cli.compiling import noting_compilation
    from cli.output import print_json, print_table
    from cli.plotting import check_plot, show_chart
    from cli.progress import progress_bar
    from streamjoin_core.explanation import explain as run
    from streamjoin_core.files import check_file
    from streamjoin_core.report.explanation_table import explanation_table

    check_plot(plot, as_json)
    if ledger is not None:
        check_file(ledger)
    with progress_bar(quiet) as bar, noting_compilation(bar, quiet) as progress:
        told = run(
            lambda: source.read(progress),
            policy=policy,
            mem=mem,
            **joined.options(),
            ledger=ledger,
            top=top,
            opt=opt,
            seed=seed,
            **known.options(),
            progress=progress,
        )
    if as_json:
        print_json(told.as_dict())
    elif not (quiet and ledger):
        print_table(explanation_table(told))
    show_chart(told.chart(), plot)
