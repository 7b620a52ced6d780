"""`sjoin fit`: the model that a trace's streams follow."""

from pathlib import Path
from typing import Annotated

import typer

from cli import options
from cli.bundles import unpacked
from cli.source import Source
from cli.spread_options import OnSpark
from streamjoin_core.errors import InputError

Stream = Annotated[
    str | None,
    typer.Option("--stream", metavar="LABEL", help="Fit this one.", show_default="all of them"),
]
Kind = Annotated[
    str,
    typer.Option(
        "--kind", metavar="auto|stationary|trend|walk|ar1", help="The best one, or one kind only."
    ),
]
Criterion = Annotated[
    str, typer.Option("--criterion", metavar="aic|bic", help="What decides on the best one.")
]
Prefix = Annotated[
    str, typer.Option("--prefix", metavar="SHARE", help="Use only the first rows: 0.2 of them.")
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Draw the residuals: .png, .svg or .pdf."),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write the model: .json, for --model."),
]


@unpacked
def fit(
    *,
    stream: Stream = None,
    kind: Kind = "auto",
    criterion: Criterion = "bic",
    prefix: Prefix = "1",
    problem: options.Problem = "joining",
    source: Source,
    on_spark: OnSpark,
    output: Output = None,
    plot: Plot = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Fit a model to each stream of a trace, by maximum likelihood, and show all candidates.

    Models are of values that change with every unit of time: give times in the process's unit.

    \b
    sjoin fit trace.parquet -o model.json
    sjoin replay trace.parquet --policy heeb --mem 10 --model model.json
    sjoin fit trace.parquet --stream R --kind trend --prefix 0.2 \\
        --plot residuals.png
    sjoin fit folder --spark --master spark://host:7077 -o model.json
    sjoin fit temperatures.parquet --problem caching --criterion aic --json
    """
    from cli.output import print_json, print_table
    from cli.progress import progress_bar
    from streamjoin_core.models.fitting import fit as run
    from streamjoin_core.report.fit_files import check_fit_paths, write_model

    check_fit_paths(output, plot)
    cluster = on_spark.cluster()
    if cluster is not None and plot is not None:
        raise InputError("residuals stay where the trace is: leave out either --plot or --spark")
    with progress_bar(quiet) as progress:
        found = run(
            source.given(progress, problem, None, cluster),
            stream=stream,
            kind=kind,
            criterion=criterion,
            prefix=prefix,
            problem=problem,
            spark=cluster,
            progress=progress,
        )
    if output is not None:
        write_model(found, output)
    if plot is not None:
        from streamjoin_core.report.fit_plot import plot_residuals

        plot_residuals(found, plot)
    if as_json:
        print_json(found.as_dict())
    elif not (quiet and output):
        from streamjoin_core.report.fit_text import fit_text

        print_table(fit_text(found))
