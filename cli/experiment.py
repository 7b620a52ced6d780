"""`sjoin experiment`: the papers' experiments, done again."""

from pathlib import Path
from typing import Annotated

import typer

from cli import options
from cli.output import print_json, print_list, print_table

Name = Annotated[
    str | None,
    typer.Argument(metavar="[NAME]", help="Which one; see --list.", show_default=False),
]
Runs = Annotated[
    int | None,
    typer.Option("--runs", help="How often to repeat it.", show_default="the experiment's own"),
]
Steps = Annotated[
    int | None,
    typer.Option("--steps", help="Length of each trace.", show_default="the experiment's own"),
]
Data = Annotated[
    Path | None, typer.Option("--data", help="The file that an experiment on real data needs.")
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write the findings: .json, .csv or .parquet."),
]
List = Annotated[bool, typer.Option("--list", help="List the experiments and stop.")]


def experiment(
    name: Name = None,
    runs: Runs = None,
    seed: options.Seed = 0,
    steps: Steps = None,
    data: Data = None,
    jobs: options.Jobs = None,
    plot: options.Plot = None,
    output: Output = None,
    list_all: List = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Do an experiment of a paper again, and tell which of its claims hold.

    \b
    sjoin experiment --list
    sjoin experiment fig8 --plot fig8.png
    sjoin experiment fig9 --plot -
    sjoin experiment fig8 --runs 50 --output fig8.csv
    sjoin experiment fig15 --data melbourne.csv --json
    """
    if name is None or list_all:
        _print_list(as_json)
        return
    from cli.compiling import noting_compilation
    from cli.plotting import check_plot, show_charts
    from cli.progress import progress_bar
    from streamjoin_core.experiments.run import run_experiment
    from streamjoin_core.files import check_file
    from streamjoin_core.processes import cores
    from streamjoin_core.report import experiment as files
    from streamjoin_core.report.experiment_picture import panel_charts, plot_findings

    check_plot(plot, as_json)
    if output is not None:
        check_file(output, files.SUFFIXES)
    with progress_bar(quiet) as bar, noting_compilation(bar, quiet) as progress:
        report = run_experiment(
            name,
            runs=runs,
            seed=seed,
            steps=steps,
            data=data,
            jobs=jobs or cores(),
            progress=progress,
        )
    if output is not None:
        files.write_findings(report, output)
    if as_json:
        print_json(files.findings_dict(report))
    elif not (quiet and (output or plot)):
        from streamjoin_core.report.experiment_table import findings_table

        print_table(findings_table(report))
    show_charts(panel_charts(report), plot, lambda: plot_findings(report, plot))


def _print_list(as_json: bool) -> None:
    from streamjoin_core.experiments.registry import all_experiments

    entries = [
        {
            "name": one.name,
            "summary": one.summary,
            "paper": one.paper,
            "runs": one.runs,
            "steps": one.steps,
            "needs_data": one.data,
        }
        for one in all_experiments()
    ]
    if as_json:
        print_json({"experiments": entries})
        return
    rows = [(entry["name"], f"{entry['summary']} ({entry['paper']})") for entry in entries]
    print_list(("experiment", "what it finds out"), rows)
