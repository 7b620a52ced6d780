"""`sjoin shed`: what is left of a join when the processor is the limit."""

from pathlib import Path
from typing import Annotated

import typer

from cli import join_options as join
from cli import options
from cli.bundles import unpacked
from cli.replay import Output, Seeds
from cli.source import Source


def _option(kind, name: str, help: str, metavar: str | None = None, default: str | None = None):
    shown = default if default else True
    return Annotated[kind, typer.Option(name, help=help, metavar=metavar, show_default=shown)]


BudgetOption = _option(
    str | None,
    "--budget",
    "What may be spent: shares of the full join's cost (0.4), or cost per time (500/s, 12/1).",
    "B[,B...]",
)
Strategies = _option(
    list[str] | None, "--strategy", "Who is shed; see --list.", "NAME[:KEY=VALUE,...]"
)
CostsOption = _option(
    str | None,
    "--costs",
    "Costs of a tuple that enters and of a result, or a file of sjoin calibrate.",
    "C_U:C_P|FILE",
)
Burst = _option(
    str | None,
    "--burst",
    "The time whose budget may be spent at once.",
    "TIME",
    "the longer window",
)
PolicyOption = _option(str, "--policy", "Who leaves a memory that is full, with --mem.", "NAME")
FitPrefix = _option(
    str,
    "--fit-prefix",
    "Share of the rows that frequencies are learnt from: with --model auto, or if none are known.",
    "SHARE",
)
Plot = _option(Path | None, "--plot", "Draw it: .png, .svg or .pdf.", "FILE")
List = Annotated[bool, typer.Option("--list", help="List the strategies and stop.")]


@unpacked
def shed(
    *,
    budget: BudgetOption = None,
    strategy: Strategies = None,
    costs: CostsOption = None,
    burst: Burst = None,
    mem: join.Memories = None,
    policy: PolicyOption = "fifo",
    joined: join.Joined,
    seed: options.Seed = 0,
    seeds: Seeds = 1,
    model: join.Model = None,
    fit_prefix: FitPrefix = "0.2",
    source: Source,
    plot: Plot = None,
    list_all: List = False,
    as_json: options.Json = False,
    output: Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Replay a trace under a processing budget and show what each strategy sheds and keeps.

    The cost never exceeds the budget by more than the burst. With --mem memory is limited, too,
    and the report tells which of the two limits binds over time.

    \b
    sjoin shed --list
    sjoin shed trace.parquet --budget 0.4 --strategy cf,inp,pni --costs 1:0.5 \\
        --window 500
    sjoin shed trace.parquet --budget 0.1,0.4 --strategy pni,online-max-subset \\
        --costs costs.json --window 500 --plot budgets.png
    sjoin shed trace.parquet --budget 500/s --strategy uniform --costs 1:1 \\
        --window 10m --json
    sjoin shed trace.parquet --budget 0.4 --mem 100 --policy prob --strategy pni \\
        --costs 1:1 --window 500 --plot limits.png
    """
    from cli.shed_output import check_paths, deliver, print_strategies

    if list_all:
        print_strategies(as_json)
        return
    from cli.compiling import noting_compilation
    from cli.progress import progress_bar
    from streamjoin_core.shed import shed as run

    check_paths(plot, output)
    with progress_bar(quiet) as bar, noting_compilation(bar, quiet) as progress:
        report = run(
            lambda: source.read(progress),
            budget=budget,
            strategy=strategy or [],
            costs=costs,
            burst=burst,
            mem=mem,
            policy=policy,
            **joined.options(),
            model=model,
            fit_prefix=fit_prefix,
            seed=seed,
            seeds=seeds,
            progress=progress,
        )
    deliver(report, plot, output, as_json, quiet)
