"""`sjoin sample`: a random sample of the result in limited memory, and what it tells."""

from pathlib import Path
from typing import Annotated

import typer

from cli import join_options as join
from cli import options
from cli.bundles import unpacked
from cli.replay import Seeds
from cli.source import Source


def _option(kind, name: str, help: str, metavar: str | None = None):
    return Annotated[kind, typer.Option(name, help=help, metavar=metavar)]


Method = _option(str, "--method", "How results are drawn.", "uniform|eq-cluster|pps-cluster")
Memory = _option(int, "--mem", "Tuples to hold on average.", "M")
Aggregate = _option(str, "--aggregate", "What is estimated from the sample.", "avg|sum|count")
AggWindow = _option(str | None, "--agg-window", "Aggregate the results of so long a time.", "W")
ValueOf = _option(str, "--value-of", "Whose value is aggregated.", "left|right")
By = _option(str | None, "--by", "What tells n(s), a tuple's results.", "age|frequency|trace")
Margin = _option(float, "--margin", "Leave so many deviations of the memory free.", "Z")
Plot = _option(Path | None, "--plot", "Draw the estimates: .png, .svg or .pdf.", "FILE")
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the sampled results: .parquet.")
]


@unpacked
def sample(
    *,
    method: Method,
    mem: Memory,
    aggregate: Aggregate = "avg",
    agg_window: AggWindow = None,
    value_of: ValueOf = "left",
    by: By = None,
    margin: Margin = 0.0,
    window: join.Window = None,
    window_kind: join.WindowKind = "time",
    on: join.On = "=",
    band: join.Band = None,
    model: join.Model = None,
    age_curve: join.AgeCurve = "learn",
    seed: options.Seed = 0,
    seeds: Seeds = 1,
    source: Source,
    plot: Plot = None,
    as_json: options.Json = False,
    output: Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Draw a random sample of the join's result in limited memory and estimate an aggregate.

    uniform takes every result with the same probability, independently; the cluster methods take
    all results of a tuple or none, eq-cluster with equal chances, pps-cluster by their number.

    \b
    sjoin sample bids.parquet --method eq-cluster --mem 100 --window 500 \\
        --aggregate count
    sjoin sample bids.parquet --method uniform --by age --mem 100 --window 500 \\
        --seeds 20
    sjoin sample zipf.parquet --method pps-cluster --mem 100 --window 500 \\
        -o sample.parquet
    """
    from cli.compiling import noting_compilation
    from cli.output import print_json, print_table
    from cli.progress import progress_bar
    from streamjoin_core.files import check_file
    from streamjoin_core.report.picture import SUFFIXES
    from streamjoin_core.report.sample import plot_sample, sample_text, write_sample
    from streamjoin_core.sampling import sample as draw

    if plot is not None:
        check_file(plot, SUFFIXES)
    if output is not None:
        check_file(output)
    with progress_bar(quiet) as bar, noting_compilation(bar, quiet) as progress:
        report = draw(
            lambda: source.read(progress),
            method=method,
            mem=mem,
            aggregate=aggregate,
            agg_window=agg_window,
            value_of=value_of,
            by=by,
            margin=margin,
            window=window,
            window_kind=window_kind,
            on=on,
            band=band,
            model=model,
            age_curve=age_curve,
            seed=seed,
            seeds=seeds,
            lists_results=output is not None,
            progress=progress,
        )
    if plot is not None:
        plot_sample(report, plot)
    if output is not None:
        write_sample(report, output)
    if as_json:
        print_json(report.as_dict())
    elif not (quiet and output):
        print_table(sample_text(report))
