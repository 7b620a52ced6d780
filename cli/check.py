"""`sjoin check`: whether policies still reach what they must."""

from pathlib import Path
from typing import Annotated

import typer

from cli import join_options as join
from cli import options
from cli.bundles import unpacked
from cli.replay import Seeds
from cli.source import Source
from streamjoin_core.errors import CheckError, InputError

Policies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        metavar="NAME[:KEY=VALUE,...]",
        autocompletion=options.complete_policies,
        help="Policies, separated by commas.",
        show_default="all of the baseline",
    ),
]
MinRecall = Annotated[
    float | None, typer.Option("--min-recall", help="Least recall, or hit ratio for caching.")
]
MinRatio = Annotated[
    float | None, typer.Option("--min-ratio-to-opt", help="Least share of the best possible.")
]
MaxRegression = Annotated[
    float, typer.Option("--max-regression", help="How far the baseline may be missed.")
]
Baseline = Annotated[
    Path | None, typer.Option("--baseline", metavar="FILE", help="JSON file of what was reached.")
]
Update = Annotated[
    bool, typer.Option("--update-baseline", help="Make these runs the baseline, and check no fall.")
]
Format = Annotated[
    str, typer.Option("--format", metavar="text|github", help="Also GitHub's annotations.")
]
Junit = Annotated[
    Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit's XML as well.")
]


@unpacked
def check(
    *,
    policy: Policies = None,
    mem: join.Memories = None,
    min_recall: MinRecall = None,
    min_ratio_to_opt: MinRatio = None,
    max_regression: MaxRegression = 0.0,
    baseline: Baseline = None,
    update_baseline: Update = False,
    joined: join.Joined,
    seed: options.Seed = 0,
    seeds: Seeds = 1,
    known: join.Known,
    problem: options.Problem = "joining",
    source: Source,
    format: Format = "text",
    junit: Junit = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Check that policies reach a bound, or what they reached before; exit code 1 if not.

    All bounds are listed with what was found. With a baseline alone, all that it tells is asked
    again, of traces found from its own folder.

    \b
    sjoin check trace.parquet --policy prob,fifo --mem 10,50 --min-recall 0.8
    sjoin check trace.parquet --policy heeb --mem 10 --min-ratio-to-opt 0.9 \\
        --junit check.xml
    sjoin check trace.parquet --policy heeb --mem 10 --baseline base.json \\
        --update-baseline
    sjoin check trace.parquet --policy heeb --mem 10 --baseline base.json \\
        --max-regression 0.01
    sjoin check --baseline traces/baseline.json --format github
    """
    from cli.compiling import noting_compilation
    from cli.output import print_json, print_table
    from cli.progress import progress_bar
    from streamjoin_core import gate
    from streamjoin_core.files import check_file
    from streamjoin_core.options import one_of
    from streamjoin_core.report.verdict_output import (
        github_annotations,
        verdict_table,
        write_junit,
    )

    one_of("format", format, ("text", "github"))
    if junit is not None:
        check_file(junit, (".xml",))
    bounds = {
        "max_regression": max_regression,
        "baseline": baseline,
        "update_baseline": update_baseline,
    }
    with progress_bar(quiet) as bar, noting_compilation(bar, quiet) as progress:
        if policy:
            verdict = gate.check(
                lambda: source.read(progress, problem),
                policy=policy,
                mem=mem,
                min_recall=min_recall,
                min_ratio_to_opt=min_ratio_to_opt,
                **bounds,
                **joined.options(),
                seed=seed,
                seeds=seeds,
                problem=problem,
                **known.options(),
                progress=progress,
            )
        elif baseline is None or source.trace or min_recall or min_ratio_to_opt:
            raise InputError("no policy is named: give --policy, or a --baseline alone")
        else:
            verdict = gate.check_baseline(**bounds, progress=progress)
    if junit is not None:
        write_junit(verdict, junit)
    if as_json:
        print_json(verdict.as_dict())
    elif not quiet:
        print_table(verdict_table(verdict))
    if format == "github" and verdict.breaches and not as_json:
        typer.echo(github_annotations(verdict))
    if verdict.breaches:
        raise CheckError(f"{len(verdict.breaches)} of {len(verdict.findings)} do not hold")
