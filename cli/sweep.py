"""`sjoin sweep`: the curves of all policies over memory."""

from typing import Annotated

import typer

from cli import join_options as join
from cli import options
from cli.bundles import unpacked
from cli.replay import Output, Seeds
from cli.source import Source
from cli.spread_options import OnSpark

Policies = Annotated[
    list[str],
    typer.Option(
        "--policies",
        "--policy",
        metavar="NAME[:KEY=VALUE,...]",
        autocompletion=options.complete_policies,
        help="Policies, separated by commas; opt is the curve of the best possible, from one "
        "solve.",
    ),
]
Memories = Annotated[
    str, typer.Option("--mem", metavar="M", help="Memories: FIRST:LAST, FIRST:LAST:STEP, 5,10,20.")
]
Measure = Annotated[
    str | None,
    typer.Option(
        "--measure",
        metavar="NAME",
        help="What to show: recall, importance_recall, fairness or ratio_to_opt.",
        show_default="recall, or hit_ratio for caching",
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on from where an interrupted sweep to --output was.")
]


@unpacked
def sweep(
    *,
    policies: Policies,
    mem: Memories,
    joined: join.Joined,
    seed: options.Seed = 0,
    seeds: Seeds = 10,
    known: join.Known,
    problem: options.Problem = "joining",
    measure: Measure = None,
    jobs: options.Jobs = None,
    resume: Resume = False,
    plot: options.Plot = None,
    source: Source,
    on_spark: OnSpark,
    as_json: options.Json = False,
    output: Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Show how every policy, and the best possible, gain from more memory.

    Runs on all cores. Policies that draw are run under several seeds, and shown with intervals.
    While it runs, what is done so far stands in OUTPUT.partial, from which --resume goes on.

    \b
    sjoin sweep trace.parquet --policies heeb,prob,life,rand,opt --mem 1:50 \\
        --plot curves.png
    sjoin sweep trace.parquet --policies prob,opt --mem 10:100:10 --window 500 \\
        --plot -
    sjoin sweep trace.parquet --policies rand,fifo --mem 1:50 --seeds 20 \\
        -o sweep.parquet
    sjoin sweep trace.parquet --policies rand,fifo --mem 1:50 --seeds 20 \\
        -o sweep.parquet --resume
    sjoin sweep trace.parquet --policies greedy,opt --mem 1:9 \\
        --measure importance_recall
    sjoin sweep folder --policies prob,life --mem 1000:9000:1000 \\
        --window 1h --spark
    sjoin sweep cache.parquet --problem caching --policies lru,lfu,lfd \\
        --mem 100:1000:100
    """
    from cli.compiling import noting_compilation
    from cli.output import note, print_table
    from cli.plotting import check_plot, show_chart
    from cli.progress import progress_bar
    from streamjoin_core.report.chart import check_measure, memory_chart
    from streamjoin_core.report.write import report_json
    from streamjoin_core.sweep import sweep as run

    check_plot(plot, as_json)
    measure = check_measure(measure, problem)
    cluster = on_spark.cluster()
    with progress_bar(quiet) as bar, noting_compilation(bar, quiet) as progress:
        report = run(
            source.given(progress, problem, None, cluster),
            policy=policies,
            mem=mem,
            **joined.options(),
            seed=seed,
            seeds=seeds,
            problem=problem,
            **known.options(),
            jobs=jobs,
            spark=cluster,
            output=output,
            resume=resume,
            note=lambda text: note(text, quiet),
            progress=progress,
        )
    if as_json:
        typer.echo(report_json(report))
    elif not (quiet and output):
        from streamjoin_core.report.sweep_table import sweep_table

        print_table(sweep_table(report, measure))
    show_chart(memory_chart(report, measure), plot)
