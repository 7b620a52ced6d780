"""`sjoin replay`: what each policy keeps and loses on a trace."""

from pathlib import Path
from typing import Annotated

import typer

from cli import options

Policies = Annotated[
    list[str],
    typer.Option(
        "--policy",
        metavar="NAME[:KEY=VALUE,...]",
        help="Policies, separated by commas or by giving the option again; see sjoin policies.",
    ),
]
Memories = Annotated[
    str | None,
    typer.Option(
        "--mem",
        metavar="M",
        help="Tuples that fit in memory: 10, 5,10,20 or FIRST:LAST:STEP.",
        show_default="no limit, for exact, ttl and jtl",
    ),
]
Window = Annotated[
    str | None,
    typer.Option(
        "--window",
        metavar="W[:W_S]",
        help="How long a tuple can join, on the left and on the right: 500, 10:15 or 2h:24h.",
        show_default="for ever",
    ),
]
WindowKind = Annotated[
    str, typer.Option("--window-kind", metavar="time|tuples", help="What the window counts.")
]
Split = Annotated[
    str,
    typer.Option(
        "--split", metavar="shared|even|A:B", help="One pool, or a share of it for each stream."
    ),
]
Order = Annotated[
    str,
    typer.Option(
        "--order",
        metavar="probe-first|evict-first",
        help="Whether arrivals join before or after the memory is brought to size.",
    ),
]
On = Annotated[
    str, typer.Option("--on", metavar="OP", help="Join when key_R OP key_S: = != < <= >= or >.")
]
Band = Annotated[
    str | None,
    typer.Option("--band", metavar="LO:HI", help="Join when key_S - key_R is from LO to HI."),
]
Combine = Annotated[
    str,
    typer.Option(
        "--combine",
        metavar="min|max|sum|product",
        help="The importance of a result from those of its two tuples.",
    ),
]
Warmup = Annotated[
    int, typer.Option("--warmup", metavar="STEPS", help="Count no results of the first steps.")
]
Seeds = Annotated[
    int, typer.Option("--seeds", help="Run policies that draw under so many seeds.", min=1)
]
Model = Annotated[
    Path | None,
    typer.Option(
        "--model",
        help="JSON file with what is known of each stream.",
        show_default="what the trace itself tells",
    ),
]
CountSameStep = Annotated[
    bool, typer.Option("--count-same-step", help="Count results within one step, too.")
]
GroupBy = Annotated[
    str | None,
    typer.Option("--group-by", metavar="COLUMN", help="Recall and fairness per group as well."),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write the report: .json, .csv or .parquet."),
]


def replay(
    policy: Policies,
    trace: options.Trace = None,
    left: options.Left = None,
    right: options.Right = None,
    mem: Memories = None,
    window: Window = None,
    window_kind: WindowKind = "time",
    split: Split = "shared",
    order: Order = "probe-first",
    on: On = "=",
    band: Band = None,
    combine: Combine = "min",
    warmup: Warmup = 0,
    seed: options.Seed = 0,
    seeds: Seeds = 1,
    model: Model = None,
    problem: options.Problem = "joining",
    count_same_step: CountSameStep = False,
    group_by: GroupBy = None,
    time_column: options.TimeColumn = "time",
    stream_column: options.StreamColumn = "stream",
    key_column: options.KeyColumn = "key",
    importance_column: options.ImportanceColumn = "importance",
    value_column: options.ValueColumn = "value",
    sort: options.Sort = False,
    null_keys: options.NullKeys = "error",
    as_json: options.Json = False,
    output: Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Replay a trace under one or more policies and show what they keep and lose.

    Every policy is run with every memory; those that draw also under every seed.

    \b
    sjoin replay trace.parquet --policy fifo,prob,life --mem 10:50:10 --window 500
    sjoin replay trace.parquet --policy rand --mem 100 --seeds 20 --output rand.csv
    sjoin replay trace.parquet --policy ttl:left=2h,right=24h --group-by tenant
    sjoin replay --left orders.parquet --right payments.parquet --policy prob --mem 1000
    sjoin replay cache.parquet --problem caching --policy lru,lfd --mem 1000 --json
    """
    from cli.compiling import noting_compilation
    from cli.output import print_table
    from cli.progress import progress_bar
    from streamjoin_core.replay import replay as run
    from streamjoin_core.report.write import check_report_path, report_json, write_report

    if output is not None:
        check_report_path(output)
    with progress_bar(quiet) as bar, noting_compilation(bar, quiet) as progress:

        def read():
            from streamjoin_core.trace.columns import Columns
            from streamjoin_core.trace.read import read_trace

            return read_trace(
                trace,
                left=left,
                right=right,
                columns=Columns(
                    time_column, stream_column, key_column, importance_column, value_column
                ),
                sort=sort,
                null_keys=null_keys,
                group_by=group_by,
                problem=problem,
                progress=progress,
            )

        report = run(
            read,
            policy=policy,
            mem=mem,
            window=window,
            window_kind=window_kind,
            split=split,
            order=order,
            on=on,
            band=band,
            combine=combine,
            warmup=warmup,
            seed=seed,
            seeds=seeds,
            problem=problem,
            model=model,
            count_same_step=count_same_step,
            progress=progress,
        )
    if output is not None:
        write_report(report, output)
    if as_json:
        typer.echo(report_json(report))
    elif not (quiet and output):
        from streamjoin_core.report.table import report_table

        print_table(report_table(report))
