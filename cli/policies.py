"""`sjoin policies`: which policies there are, and what each of them does."""

from typing import Annotated

import typer

from cli import options

Name = Annotated[
    str | None,
    typer.Argument(metavar="[POLICY]", help="Explain this one.", show_default=False),
]


def policies(
    name: Name = None, as_json: options.Json = False, quiet: options.Quiet = False
) -> None:
    """List the policies, or explain one of them; with --quiet their names alone.

    \b
    sjoin policies
    sjoin policies prob
    """
    from streamjoin_core.policies.registry import all_policies, find_policy

    chosen = all_policies() if name is None else [find_policy(name)]
    if as_json:
        from cli.output import print_json

        print_json({"policies": [_as_json(policy) for policy in chosen]})
    elif quiet:
        typer.echo("\n".join(policy.name for policy in chosen))
    elif name is None:
        _print_list(chosen)
    else:
        _print_explanation(chosen[0])


def _problems(policy) -> list[str]:
    return [problem for problem in ("joining", "caching") if getattr(policy, problem)]


def _parameters(policy) -> list[dict]:
    from streamjoin_core.parameters import describe

    return [
        {"name": name, "default": default, "meaning": meaning}
        for name, default, meaning in describe(policy.parameters)
    ]


def _explanation(policy) -> str:
    """The docstring of the policy's own file, with each paragraph and item in one line."""
    import re
    from importlib import import_module

    module = import_module(f"streamjoin_core.policies.{policy.name.replace('-', '_')}")
    # A line goes on unless an empty or indented one, or an item such as "Cost:", comes next.
    return re.sub(r"(?<=\S)\n(?=\S)(?![A-Z][a-z ]*: )", " ", module.__doc__.strip())


def _as_json(policy) -> dict:
    return {
        "name": policy.name,
        "problems": _problems(policy),
        "leaves_first": policy.summary,
        "paper": policy.paper,
        "cost": policy.cost,
        "aliases": list(policy.aliases),
        "needs": [*policy.needs, *(["memory"] if policy.needs_memory else [])],
        "is_random": policy.is_random,
        "knows_future": policy.knows_future,
        "parameters": _parameters(policy),
    }


def _print_list(policies: list) -> None:
    from rich.table import Table
    from rich.text import Text

    from cli.output import print_table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    table.add_column("policy", no_wrap=True)
    table.add_column("who leaves first; problem, parameters, cost, paper")
    for policy in policies:
        parameters = [
            entry["name"] if entry["default"] is None else f"{entry['name']}={entry['default']}"
            for entry in _parameters(policy)
        ]
        facts = [" and ".join(_problems(policy)), *parameters, policy.cost, policy.paper]
        table.add_row(policy.name, policy.summary)
        table.add_row("", Text(" | ".join(facts), "dim"))
    print_table(table, Text("\nExplain one: sjoin policies NAME"))


def _print_explanation(policy) -> None:
    from rich.table import Table
    from rich.text import Text

    from cli.output import print_table

    facts = {
        "policy": policy.name,
        "also called": ", ".join(policy.aliases),
        "for": ", ".join(_problems(policy)),
        "needs": ", ".join(policy.needs),
        "cost": policy.cost,
        "paper": policy.paper,
    }
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for name, fact in facts.items():
        if fact:
            table.add_row(name, fact)
    for entry in _parameters(policy):
        default = "" if entry["default"] is None else f" (default {entry['default']})"
        table.add_row(f"  {entry['name']}", f"{entry['meaning']}{default}")
    print_table(Text(_explanation(policy) + "\n"), table)
