"""`sjoin replay`: what each policy keeps and loses on a trace."""

from pathlib import Path
from typing import Annotated

import typer

from cli import join_options as join
from cli import options

Policies = Annotated[
    list[str],
    typer.Option(
        "--policy",
        metavar="NAME[:KEY=VALUE,...]",
        help="Policies, separated by commas or by giving the option again; see sjoin policies.",
    ),
]
Seeds = Annotated[
    int, typer.Option("--seeds", help="Run policies that draw under so many seeds.", min=1)
]
Opt = Annotated[
    bool, typer.Option("--opt", help="Compare every run with the best that anyone could do.")
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
    mem: join.Memories = None,
    window: join.Window = None,
    window_kind: join.WindowKind = "time",
    split: join.Split = "shared",
    order: join.Order = "probe-first",
    on: join.On = "=",
    band: join.Band = None,
    combine: join.Combine = "min",
    warmup: join.Warmup = 0,
    seed: options.Seed = 0,
    seeds: Seeds = 1,
    model: join.Model = None,
    problem: options.Problem = "joining",
    count_same_step: join.CountSameStep = False,
    opt: Opt = False,
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
    sjoin replay trace.parquet --policy prob,opt --mem 10 --opt
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
            opt=opt,
            progress=progress,
        )
    if output is not None:
        write_report(report, output)
    if as_json:
        typer.echo(report_json(report))
    elif not (quiet and output):
        from streamjoin_core.report.table import report_table

        print_table(report_table(report))
