"""`sjoin ingest`: recordings in other formats become traces."""

from pathlib import Path
from typing import Annotated

import typer

from cli import options
from cli.bundles import unpacked
from cli.output import print_json, print_table
from cli.spread_options import OnSpark

RawFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="RAW",
        help="CSV, JSON lines, Parquet, Arrow/Feather or oracleGeneral file, or folder of them; "
        "text and streams also compressed (.gz, .zst).",
        show_default=False,
    ),
]
Left = Annotated[
    Path | None,
    typer.Option("--left", help="Left stream's raw file; with --right instead of RAW."),
]
Output = Annotated[
    Path, typer.Option("--output", "-o", help="Parquet file to write; with --spark a new folder.")
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="What RAW is: csv, json, parquet, arrow or oracle-general.",
        show_default="by suffix",
    ),
]
TimeColumn = Annotated[
    str,
    typer.Option("--time-col", help="Column with the arrival time; row takes the row number."),
]
TimeFormat = Annotated[
    str | None,
    typer.Option(
        "--time-format", help="How times are written, as strptime has it.", show_default="ISO 8601"
    ),
]
TimeUnit = Annotated[
    str | None,
    typer.Option(
        "--time-unit",
        metavar="s|ms|us|ns",
        help="What times that are numbers count since 1970; decimals are kept to the nanosecond.",
        show_default="plain integers",
    ),
]
NoHeader = Annotated[
    bool, typer.Option("--no-header", help="CSV without names: columns are 0, 1, 2 and so on.")
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter", help="Character between cells.", show_default="comma; tab for .tsv"
    ),
]
Sort = Annotated[bool, typer.Option("--sort/--no-sort", help="Sort by time, or refuse disorder.")]
Keep = Annotated[
    list[str] | None,
    typer.Option("--keep", metavar="COLUMN", help="One more column to keep, as for --group-by."),
]
Problem = Annotated[
    str | None,
    typer.Option(
        "--problem",
        metavar="joining|caching",
        help="Two streams, or one.",
        show_default="by whether there is a stream column",
    ),
]


@unpacked
def ingest(
    *,
    output: Output,
    raw: RawFile = None,
    left: Left = None,
    right: options.Right = None,
    format: Format = None,
    time_column: TimeColumn = "time",
    stream_column: options.StreamColumn = "stream",
    key_column: options.KeyColumn = "key",
    importance_column: options.ImportanceColumn = "importance",
    value_column: options.ValueColumn = "value",
    keep: Keep = None,
    time_format: TimeFormat = None,
    time_unit: TimeUnit = None,
    no_header: NoHeader = False,
    delimiter: Delimiter = None,
    sort: Sort = True,
    null_keys: options.NullKeys = "error",
    problem: Problem = None,
    on_spark: OnSpark,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Convert a recording in another format into a trace; Spark writes a folder.

    Columns are named as in the file. Ids stay what they are: 007 and numbers beyond 64 bits are
    kept as text. A file without a stream column is a trace for caching.

    \b
    sjoin ingest clicks.csv --time-col ts --stream-col topic --key-col user \\
        -o trace.parquet
    sjoin ingest --left orders.jsonl.gz --right payments.parquet -o trace.parquet
    sjoin ingest log.csv --time-format '%d/%m/%Y %H:%M:%S' --keep tenant \\
        -o trace.parquet
    sjoin ingest epoch.csv --time-unit s --null-keys drop -o trace.parquet
    sjoin ingest pairs.tsv --no-header --time-col row --key-col 1 -o trace.parquet
    sjoin ingest csvs/ --spark --master spark://host:7077 -o traces
    sjoin ingest w89.oracleGeneral.zst -o trace.parquet
    """
    from cli.progress import progress_bar
    from streamjoin_core.trace.columns import Columns
    from streamjoin_core.trace.ingest import ingest as convert

    cluster = on_spark.cluster()
    names = Columns(time_column, stream_column, key_column, importance_column, value_column)
    with progress_bar(quiet) as progress:
        summary = convert(
            raw,
            left=left,
            right=right,
            output=output,
            format=format,
            columns=names,
            time_format=time_format,
            time_unit=time_unit,
            header=not no_header,
            delimiter=delimiter,
            sort=sort,
            null_keys=null_keys,
            keep=keep or (),
            problem=problem,
            spark=cluster,
            progress=progress,
        )
    _show(output, summary, as_json, quiet)


def _show(output: Path, summary: dict, as_json: bool, quiet: bool) -> None:
    if as_json:
        print_json({"output": str(output)} | summary)
    elif not quiet:
        _print_summary(output, summary)


def _print_summary(output: Path, summary: dict) -> None:
    from rich.table import Table

    used = [f"{role} from {name}" for role, name in summary["columns"].items()]
    used += [f"{name} kept" for name in summary["keep"]]
    dropped, unit = summary["dropped"], summary["time_unit"]
    times = ["integers" if unit is None else f"timestamps in {unit}"]
    times += ["rounded to the nanosecond"] * summary["rounded"]
    times += ["sorted"] * summary["sorted"]
    streams = ", ".join(map(str, summary["streams"])) or "none"
    is_caching = summary["problem"] == "caching"

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("trace", str(output))
    table.add_row("from", f"{summary['format']}: {', '.join(used)}")
    table.add_row("rows", f"{summary['rows']}" + f", {dropped} without key dropped" * (dropped > 0))
    table.add_row("keys", f"{summary['keys']} distinct")
    table.add_row("streams", "one: replay with --problem caching" if is_caching else streams)
    table.add_row("times", ", ".join(times))
    print_table(table)
