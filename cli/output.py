"""What commands put on stdout."""

import typer


def print_json(content: dict) -> None:
    """Print a command's JSON, with the version that made it."""
    from streamjoin_core.report.json_text import json_text

    typer.echo(json_text(content))


def print_table(*renderables) -> None:
    """Print tables and texts as they are, without guessing at markup or numbers in them."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    for renderable in renderables:
        console.print(renderable)


def print_list(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Print rows of texts, of which the last may take several lines."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for heading in headings[:-1]:
        table.add_column(heading, no_wrap=True)
    table.add_column(headings[-1])
    for row in rows:
        table.add_row(*row)
    print_table(table)


def note(text: str, quiet: bool = False) -> None:
    """Tell something on stderr that is no part of the answer."""
    if not quiet:
        typer.echo(f"sjoin: {text}", err=True)


def note_unevenness(report, quiet: bool) -> None:
    """Warn, on stderr, of a partition that has much more than its share."""
    from streamjoin_core.report.partitions import unevenness

    warning = unevenness(report.partitions, report.options.get("balance", False))
    if warning:
        note(warning, quiet)
