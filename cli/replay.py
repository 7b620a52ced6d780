"""`sjoin replay`: what each policy keeps and loses on a trace."""

from pathlib import Path
from typing import Annotated

import typer

from cli import join_options as join
from cli import options
from cli.bundles import unpacked
from cli.source import Source
from cli.spread_options import OnSpark, Spread

Policies = Annotated[
    list[str],
    typer.Option(
        "--policy",
        metavar="NAME[:KEY=VALUE,...]",
        autocompletion=options.complete_policies,
        help="Policies, separated by commas or by giving the option again; see sjoin policies.",
    ),
]
Seeds = Annotated[
    int, typer.Option("--seeds", help="Run policies that draw under so many seeds.", min=1)
]
Opt = Annotated[
    bool, typer.Option("--opt", help="Compare every run with the best that anyone could do.")
]
Dominance = Annotated[
    bool,
    typer.Option("--dominance", help="Count the decisions that were provably optimal (slow)."),
]
Objective = Annotated[
    str,
    typer.Option(
        "--objective",
        metavar="results|importance|both",
        help="With --opt: what the best that anyone could do is the best in.",
    ),
]
Fairness = Annotated[
    bool,
    typer.Option("--fairness", help="Tell how tuples stayed: lifetimes, early drops, idle time."),
]
GroupBy = Annotated[
    str | None,
    typer.Option("--group-by", metavar="COLUMN", help="Recall and fairness per group as well."),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write the report: .json, .csv or .parquet."),
]


@unpacked
def replay(
    *,
    policy: Policies,
    mem: join.Memories = None,
    joined: join.Joined,
    seed: options.Seed = 0,
    seeds: Seeds = 1,
    known: join.Known,
    problem: options.Problem = "joining",
    opt: Opt = False,
    dominance: Dominance = False,
    objective: Objective = "results",
    fairness: Fairness = False,
    group_by: GroupBy = None,
    source: Source,
    spread: Spread,
    on_spark: OnSpark,
    as_json: options.Json = False,
    output: Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Replay a trace under one or more policies and show what they keep and lose.

    Every policy is run with every memory; those that draw also under every seed.

    \b
    sjoin replay trace.parquet --policy fifo,prob,life --mem 10:50:10 --window 500
    sjoin replay trace.parquet --policy prob,opt --mem 10 --opt
    sjoin replay trace.parquet --policy heeb,flowexpect --mem 10 --model auto \\
        --fit-prefix 0.1
    sjoin replay trace.parquet --policy heeb --mem 10 --dominance
    sjoin replay bids.parquet --policy age,recent,until-expiry --mem 100 \\
        --window 500 --split auto
    sjoin replay trace.parquet --policy ijoin:tau=2,greedy --mem 10 --window 500 \\
        --fairness
    sjoin replay trace.parquet --policy rand --mem 100 --seeds 20 \\
        --output rand.csv
    sjoin replay trace.parquet --policy ttl:left=2h,right=24h --group-by tenant
    sjoin replay --left orders.parquet --right payments.parquet --policy prob \\
        --mem 1000
    sjoin replay cache.parquet --problem caching --policy lru,lfd --mem 1000 \\
        --json
    sjoin replay long.parquet --policy prob --mem 10000 --partitions 8 --jobs 4
    sjoin replay folder --policy prob --mem 10000 --partitions 64 --spark \\
        --master spark://host:7077
    """
    from cli.compiling import noting_compilation
    from cli.output import note_unevenness, print_table
    from cli.progress import progress_bar
    from streamjoin_core.replay import replay as run
    from streamjoin_core.report.write import check_report_path, report_json, write_report

    if output is not None:
        check_report_path(output)
    cluster = on_spark.cluster()
    with progress_bar(quiet) as bar, noting_compilation(bar, quiet) as progress:
        report = run(
            source.given(progress, problem, group_by, cluster),
            policy=policy,
            mem=mem,
            **joined.options(),
            seed=seed,
            seeds=seeds,
            problem=problem,
            **known.options(),
            opt=opt,
            dominance=dominance,
            objective=objective,
            fairness=fairness,
            **spread.options(cluster),
            progress=progress,
        )
    note_unevenness(report, quiet)
    if output is not None:
        write_report(report, output)
    if as_json:
        typer.echo(report_json(report))
    elif not (quiet and output):
        from streamjoin_core.report.table import report_table

        print_table(report_table(report))
