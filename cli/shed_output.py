"""What `sjoin shed` writes and prints."""

from pathlib import Path

import typer

from cli.output import print_json, print_list, print_table
from streamjoin_core.files import check_file
from streamjoin_core.report.picture import SUFFIXES
from streamjoin_core.report.shed import ShedReport
from streamjoin_core.report.write import check_report_path, report_json, write_report


def print_strategies(as_json: bool) -> None:
    """All strategies with what they shed."""
    from streamjoin_core.parameters import describe
    from streamjoin_core.shedding.registry import all_strategies

    entries = [
        {
            "name": one.name,
            "sheds": one.summary,
            "paper": one.paper,
            "parameters": {name: help for name, _, help in describe(one.parameters)},
            "knows_future": one.knows_future,
        }
        for one in all_strategies()
    ]
    if as_json:
        print_json({"strategies": entries})
    else:
        rows = [
            (entry["name"], ", ".join(entry["parameters"]), f"{entry['sheds']} ({entry['paper']})")
            for entry in entries
        ]
        print_list(("strategy", "parameters", "who is shed"), rows)


def check_paths(plot: Path | None, output: Path | None) -> None:
    """Refuse what cannot be written, before anything is computed."""
    if plot is not None:
        check_file(plot, SUFFIXES)
    if output is not None:
        check_report_path(output)


def deliver(
    report: ShedReport, plot: Path | None, output: Path | None, as_json: bool, quiet: bool
) -> None:
    if plot is not None:
        from streamjoin_core.report.shed_picture import plot_shedding

        plot_shedding(report, plot)
    if output is not None:
        write_report(report, output)
    if as_json:
        typer.echo(report_json(report))
    elif not (quiet and (output or plot)):
        from streamjoin_core.report.shed_table import shed_table

        print_table(shed_table(report))
