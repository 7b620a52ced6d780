"""`sjoin doctor`: what sjoin needs, what this machine has, and what to do about the rest."""

import typer

from cli import options
from cli.output import print_json


def doctor(as_json: options.Json = False, quiet: options.Quiet = False) -> None:
    """Check that this machine has what sjoin needs, and say what to do where it does not.

    The exit code is 0 when all that a replay needs is there, else 2; with --quiet it is all.

    \b
    sjoin doctor
    sjoin doctor --json
    """
    from streamjoin_core import doctor as core

    checks = core.examine()
    is_ready = core.ready(checks)
    if as_json:
        _print_json(checks)
    elif not quiet:
        _print_table(checks, is_ready)
    if not is_ready:
        raise typer.Exit(2)


def _print_json(checks: list) -> None:
    from dataclasses import asdict

    print_json({"checks": [asdict(check) for check in checks]})


def _print_table(checks: list, is_ready: bool) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    colours = {"ok": "green", "warn": "yellow", "missing": "red"}
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("check", "needed for", "status"):
        table.add_column(heading, no_wrap=True)
    table.add_column("found", overflow="fold")
    for check in checks:
        status = Text(check.status, colours[check.status])
        table.add_row(Text(check.name), check.needed_for, status, Text(check.found))

    console = Console(highlight=False, markup=False)
    console.print(table)
    console.print()
    for check in checks:
        if check.remedy:
            # Not wrapped, so that commands can be copied.
            console.print(f"{check.name}: {check.remedy}", soft_wrap=True)
    console.print("Ready to replay." if is_ready else "Not ready to replay.")
