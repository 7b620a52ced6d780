"""`sjoin plan`: how much memory is needed, and what a memory is good for."""

from typing import Annotated

import typer

from cli import join_options as join
from cli import options
from cli.bundles import unpacked
from cli.explain import WithOptimum
from cli.replay import Seeds
from cli.source import Source
from streamjoin_core.errors import InputError

Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="MEASURE=X",
        help="Find the memory for it: recall, importance_recall, fairness or hit_ratio.",
    ),
]
Ttl = Annotated[
    str | None,
    typer.Option("--ttl", metavar="L[:R]", help="Translate a time-to-live: 2h, 2h:24h or 20:30."),
]
Memories = Annotated[
    str | None,
    typer.Option("--mem", metavar="M", help="Tell what this memory reaches: 10 or 5,10,20."),
]
Policies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        metavar="NAME[:KEY=VALUE,...]",
        autocompletion=options.complete_policies,
        help="Ask these.",
        show_default="all that suit",
    ),
]


@unpacked
def plan(
    *,
    target: Target = None,
    mem: Memories = None,
    ttl: Ttl = None,
    policy: Policies = None,
    opt: WithOptimum = True,
    joined: join.Joined,
    seed: options.Seed = 0,
    seeds: Seeds = 1,
    known: join.Known,
    problem: options.Problem = "joining",
    jobs: options.Jobs = None,
    source: Source,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the smallest memory for a target, what a memory reaches, or what a time-to-live means.

    The smallest memory is searched for on each policy's curve; where that is seen to fall, the
    table says so. A time-to-live is that of Flink's state or ksqlDB's WITHIN: its peak and mean
    state, its recall, and what every policy would reach with the same memory.

    \b
    sjoin plan trace.parquet --target recall=0.95 --window 500
    sjoin plan trace.parquet --target importance_recall=0.9 --policy greedy,prob
    sjoin plan trace.parquet --mem 100,200 --window 500
    sjoin plan orders.parquet --ttl 2h:24h --window 2d
    sjoin plan cache.parquet --problem caching --target hit_ratio=0.8
    """
    from cli.compiling import noting_compilation
    from cli.output import print_json, print_table
    from cli.progress import progress_bar
    from streamjoin_core import sizing
    from streamjoin_core.report.sizing_table import needs_table, offers_table, ttl_table

    questions = {
        "target": (target, sizing.need, needs_table),
        "mem": (mem, sizing.reach, offers_table),
        "ttl": (ttl, sizing.translate_ttl, ttl_table),
    }
    asked = [name for name, (given, *_) in questions.items() if given is not None]
    if len(asked) != 1:
        raise InputError("one question at a time: give one of --target, --mem and --ttl")
    given, answer, table = questions[asked[0]]
    if ttl is not None and problem != "joining":
        raise InputError("caching has no --ttl: leave that out, or choose --problem joining")
    problems = {} if ttl is not None else {"problem": problem}
    with progress_bar(quiet) as bar, noting_compilation(bar, quiet) as progress:
        found = answer(
            lambda: source.read(progress, problem),
            **{asked[0]: given},
            policy=policy,
            opt=opt,
            **joined.options(),
            **problems,
            seed=seed,
            seeds=seeds,
            **known.options(),
            jobs=jobs,
            progress=progress,
        )
    if as_json:
        print_json(found.as_dict())
    else:
        print_table(table(found))
