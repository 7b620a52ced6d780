"""`sjoin opt-offline`: the best that any policy could have done on a trace."""

from pathlib import Path
from typing import Annotated

import typer

from cli import options
from cli.bundles import unpacked
from cli.join_options import Joined
from cli.replay import Output
from cli.source import Source
from cli.spread_options import OnSpark, Spread


def _option(kind, name: str, help: str, metavar: str | None = None):
    return Annotated[kind, typer.Option(name, help=help, metavar=metavar)]


Memories = _option(str, "--mem", "Tuples that fit in memory: 10, 5,10,20 or FIRST:LAST:STEP.", "M")
Objective = _option(str, "--objective", "What is made largest.", "results|importance")
Graph = _option(str, "--graph", "The graph to solve on.", "auto|key|match")
Solver = _option(str, "--solver", "Ours, or another one to check it.", "sjoin|ortools|networkx")
Schedule = _option(
    Path | None, "--schedule", "Write when each tuple enters and leaves: .parquet.", "FILE"
)
Certify = _option(bool, "--certify", "Prove that nobody can do better.")
Prices = _option(
    Path | None, "--prices", "Write what memory was worth at each step: .parquet.", "FILE"
)
PlotPrices = _option(Path | None, "--plot-prices", "Draw those prices, as --plot does.", "FILE")
Bound = _option(bool, "--bound", "Only bounds, for traces too long to solve.")
TimeLimit = _option(str | None, "--time-limit", "Stop then, with bounds: 60s or 5m.", "TIME")
DryRun = _option(bool, "--dry-run", "Only tell what the solve would take.")
Whole = _option(bool, "--whole", "Tell what partitions cost: solve without them, too.")
MaxMemory = _option(str | None, "--max-memory", "Refuse what would need more: 2GB.", "SIZE")


@unpacked
def opt_offline(
    *,
    mem: Memories,
    joined: Joined,
    objective: Objective = "results",
    graph: Graph = "auto",
    solver: Solver = "sjoin",
    schedule: Schedule = None,
    certify: Certify = False,
    prices: Prices = None,
    plot_prices: PlotPrices = None,
    plot: options.Plot = None,
    bound: Bound = False,
    time_limit: TimeLimit = None,
    dry_run: DryRun = False,
    max_memory: MaxMemory = None,
    whole: Whole = False,
    source: Source,
    spread: Spread,
    on_spark: OnSpark,
    as_json: options.Json = False,
    output: Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Find the largest number of results, or importance, that any policy could have reached.

    One solve gives the optimum for all memories. Schedule, prices and proof are for the largest.

    \b
    sjoin opt-offline trace.parquet --mem 10 --window 500
    sjoin opt-offline trace.parquet --mem 1:50 --plot curve.png
    sjoin opt-offline trace.parquet --mem 1:50 --plot -
    sjoin opt-offline trace.parquet --mem 10 --certify --schedule best.parquet
    sjoin opt-offline trace.parquet --mem 10 --objective importance \\
        --prices prices.parquet
    sjoin opt-offline trace.parquet --mem 10 --solver ortools
    sjoin opt-offline long.parquet --mem 1000 --dry-run
    sjoin opt-offline long.parquet --mem 1000 --bound --time-limit 60s
    sjoin opt-offline long.parquet --mem 1000 --partitions 8 --whole
    """
    from cli.compiling import noting_compilation
    from cli.opt_offline_output import Asked, print_estimate
    from cli.output import note_unevenness
    from cli.progress import progress_bar
    from streamjoin_core.optimise import ask
    from streamjoin_core.optimise_partitions import best

    asked = Asked(schedule, certify, prices, plot_prices, plot, output, as_json, quiet)
    cluster = on_spark.cluster()
    asked.check(solver, bound, dry_run, is_cut=spread.partitions is not None or on_spark.spark)
    options = joined.options() | {
        "mem": mem,
        "objective": objective,
        "graph": graph,
        "solver": solver,
        "time_limit": time_limit,
        "max_memory": max_memory,
        "bound": bound,
    }
    with progress_bar(quiet) as bar, noting_compilation(bar, quiet) as progress:
        if dry_run:
            question = ask(lambda: source.read(progress), progress=progress, **options)
        else:
            trace = source.given(progress, "joining", None, cluster)
            spread_out = spread.options(cluster)
            report = best(trace, whole=whole, progress=progress, **spread_out, **options)
    if dry_run:
        print_estimate(question, as_json)
    else:
        note_unevenness(report, quiet)
        asked.deliver(report)
