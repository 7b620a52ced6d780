"""`sjoin inspect`: what is in a trace, and the memory that would lose nothing."""

from typing import Annotated

import typer

from cli import join_options as join
from cli import options
from cli.bundles import unpacked
from cli.source import Source
from cli.spread_options import OnSpark, Partitions

Top = Annotated[int, typer.Option("--top", help="Name so many of the most frequent keys.", min=0)]


@unpacked
def inspect(
    *,
    window: join.Window = None,
    window_kind: join.WindowKind = "time",
    on: join.On = "=",
    band: join.Band = None,
    warmup: join.Warmup = 0,
    problem: options.Problem = "joining",
    top: Top = 10,
    source: Source,
    partitions: Partitions = None,
    on_spark: OnSpark,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Tell what is in a trace: rates, skew, trends, results, and the memory to lose none of them.

    Full recall needs room for the tuples that have a result to come, not for all in window.

    \b
    sjoin inspect trace.parquet --window 500
    sjoin inspect clicks.parquet --time-col ts --key-col user --window 2h:24h
    sjoin inspect --left orders.parquet --right payments.parquet --window 1d
    sjoin inspect sensors.parquet --band -1:1 --window 100 --window-kind tuples
    sjoin inspect requests.parquet --problem caching --top 20 --json
    sjoin inspect folder --window 1h --spark --master spark://host:7077
    """
    from cli.compiling import noting_compilation
    from cli.output import print_json, print_table
    from cli.progress import progress_bar
    from streamjoin_core.inspection import inspect as look_into

    with progress_bar(quiet) as bar, noting_compilation(bar, quiet) as progress:

        def read():
            arrivals = source.read(progress, problem)
            progress("inspecting", 0, 0)
            return arrivals

        cluster = on_spark.cluster()
        found = look_into(
            read if cluster is None else source.given(progress, problem, None, cluster),
            window=window,
            window_kind=window_kind,
            on=on,
            band=band,
            warmup=warmup,
            problem=problem,
            top=top,
            partitions=partitions,
            spark=cluster,
            progress=progress,
        )
    if as_json:
        print_json(found.as_dict())
    else:
        from streamjoin_core.inspection.text import inspection_text

        print_table(inspection_text(found))
