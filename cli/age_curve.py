"""`sjoin age-curve`: how many results tuples have at each age."""

from pathlib import Path
from typing import Annotated

import typer

from cli import join_options as join
from cli import options
from cli.bundles import unpacked
from cli.source import Source

Stream = Annotated[
    str | None, typer.Option("--stream", metavar="LABEL", help="This stream's curve only.")
]
Granularity = Annotated[
    str | None,
    typer.Option(
        "--granularity", metavar="TIME", help="Length of time that is one age: 10 or 100ms."
    ),
]
Fraction = Annotated[
    float,
    typer.Option("--fraction", help="Learn from this share of the tuples, retained for life."),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write the JSON file that --age-curve FILE reads."),
]


@unpacked
def age_curve(
    *,
    stream: Stream = None,
    granularity: Granularity = None,
    fraction: Fraction = 1.0,
    seed: options.Seed = 0,
    window: join.Window = None,
    window_kind: join.WindowKind = "time",
    on: join.On = "=",
    band: join.Band = None,
    source: Source,
    plot: options.Plot = None,
    as_json: options.Json = False,
    output: Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Tell how many results tuples have at each age, by which policy age keeps them.

    p(k) is a tuple's number of results at age k, C(k) until then, and k_opt the age until which it
    gives most of them per time.

    \b
    sjoin age-curve bids.parquet --window 500 --plot curve.png
    sjoin age-curve bids.parquet --window 500 --plot -
    sjoin age-curve bids.parquet --window 500 --stream R --granularity 25
    sjoin age-curve bids.parquet --window 2h --fraction 0.05 -o curve.json
    sjoin replay bids.parquet --window 2h --policy age --mem 100 \\
        --age-curve curve.json
    """
    from cli.compiling import noting_compilation
    from cli.output import print_json, print_table
    from cli.plotting import check_plot, show_charts
    from cli.progress import progress_bar
    from streamjoin_core.age.report import age_curve as learn
    from streamjoin_core.age.report import write_curves
    from streamjoin_core.files import check_file
    from streamjoin_core.report.age_curve import age_chart, curves_text, plot_age_curves

    check_plot(plot, as_json)
    if output is not None:
        check_file(output, (".json",))
    with progress_bar(quiet) as bar, noting_compilation(bar, quiet) as progress:
        found = learn(
            lambda: source.read(progress),
            stream=stream,
            granularity=granularity,
            fraction=fraction,
            seed=seed,
            window=window,
            window_kind=window_kind,
            on=on,
            band=band,
            progress=progress,
        )
    if output is not None:
        write_curves(found, output)
    if as_json:
        print_json(found.as_dict())
    elif not (quiet and output):
        print_table(curves_text(found))
    unit = "tuples" if window_kind == "tuples" else found.options["time_unit"] or "time units"
    show_charts([age_chart(found.curves, unit)], plot, lambda: plot_age_curves(found, plot))
