"""What commands put on stdout."""

import json

import typer


def print_json(content: dict) -> None:
    """Print a command's JSON, with the version that made it."""
    from streamjoin_core.version import installed_version

    head = {"schema_version": 1, "sjoin": installed_version()}
    typer.echo(json.dumps(head | content, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(*renderables) -> None:
    """Print tables and texts as they are, without guessing at markup or numbers in them."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    for renderable in renderables:
        console.print(renderable)
