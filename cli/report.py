"""`sjoin report`: all there is to tell of a trace, as one web page."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from cli import join_options as join
from cli import options
from cli.bundles import unpacked
from cli.explain import OneMemory, Top
from cli.replay import Policies, Seeds
from cli.source import Source

Page = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The page: .html.")]
Curve = Annotated[
    str | None,
    typer.Option(
        "--curve",
        metavar="M",
        help="Memories of the curves: 1:50 or 10:100:10.",
        show_default="some up to four times --mem",
    ),
]


@unpacked
def report(
    *,
    policy: Policies,
    mem: OneMemory,
    output: Page,
    curve: Curve = None,
    joined: join.Joined,
    seed: options.Seed = 0,
    seeds: Seeds = 10,
    known: join.Known,
    top: Top = 10,
    jobs: options.Jobs = None,
    source: Source,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write one web page with all there is to tell of a trace; it needs no network.

    Summary, curves over memory, recall over time, memory shares, the price of memory, keys,
    lifetimes, where each policy lost its results, and the command that made it.

    \b
    sjoin report trace.parquet --policy heeb,prob,fifo --mem 10 -o report.html
    sjoin report trace.parquet --policy prob,life --mem 100 --curve 10:200:10 \\
        --window 500 -o r.html
    """
    from cli.compiling import noting_compilation
    from cli.output import print_json
    from cli.progress import progress_bar
    from streamjoin_core.dossier import gather
    from streamjoin_core.files import check_file
    from streamjoin_core.report.page import write_page

    check_file(output, (".html",))
    with progress_bar(quiet) as bar, noting_compilation(bar, quiet) as progress:
        dossier = gather(
            lambda: source.read(progress),
            policy=policy,
            mem=mem,
            memories=curve,
            **joined.options(),
            seed=seed,
            seeds=seeds,
            **known.options(),
            top=top,
            jobs=jobs,
            progress=progress,
        )
    write_page(dossier, output, ["sjoin", *sys.argv[1:]])
    if as_json:
        print_json({"output": str(output)} | dossier.as_dict())
    elif not quiet:
        size = output.stat().st_size
        typer.echo(f"{output}: {size / 1000:,.0f} kB, opens in any browser without a network")
