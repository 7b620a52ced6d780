"""`sjoin version`: the versions of what matters."""

import typer

from cli import options


def version(as_json: options.Json = False, quiet: options.Quiet = False) -> None:
    """Print the version of sjoin and of all that its numbers and its speed depend on.

    With --quiet it is sjoin's own version alone.

    \b
    sjoin version
    sjoin version --json
    """
    from cli.output import print_json
    from streamjoin_core.version import installed_version, versions

    if as_json:
        print_json({"versions": versions()})
    elif quiet:
        typer.echo(installed_version() or "from sources")
    else:
        typer.echo(f"sjoin {installed_version() or 'from sources'}")
        for name, number in versions().items():
            typer.echo(f"{name:<10} {number or '-'}")
