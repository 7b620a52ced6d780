"""`sjoin gen`: synthetic traces of known behaviour."""

from pathlib import Path
from typing import Annotated

import typer

from cli import options
from cli.output import print_json, print_list
from streamjoin_core.errors import InputError

# A scenario's parameters are options that only the scenario knows, so Typer lets them through.
CONTEXT_SETTINGS = {"ignore_unknown_options": True, "allow_extra_args": True}

# One list, since Typer cannot tell a scenario from the value of an option that it does not know.
Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SCENARIO [--PARAMETER VALUE]",
        help="Which scenario, and its parameters by name.",
        show_default=False,
    ),
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Parquet file to write.")]
Steps = Annotated[
    int | None,
    typer.Option("--steps", help="Length in units of time.", show_default="the scenario's own"),
]
Assignments = Annotated[
    list[str] | None,
    typer.Option("--param", "-p", metavar="NAME=VALUE", help="Another way to give a parameter."),
]
List = Annotated[bool, typer.Option("--list", help="List the scenarios and stop.")]
Describe = Annotated[
    bool, typer.Option("--describe", help="Explain SCENARIO and its parameters and stop.")
]


def gen(
    words: Words = None,
    output: Output = None,
    steps: Steps = None,
    seed: options.Seed = 0,
    param: Assignments = None,
    list_all: List = False,
    describe: Describe = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Generate a trace of a known scenario; the same command makes the same file.

    Each scenario has parameters of its own, given like options.

    \b
    sjoin gen --list
    sjoin gen zipf --describe
    sjoin gen tower -o tower.parquet --steps 5000 --seed 1
    sjoin gen zipf --correlation inverse --skew 1.5 -o zipf.parquet
    """
    from streamjoin_core.trace.scenarios import find_scenario, scenarios

    name, given = _scenario_and_parameters(words or [])
    parameters = _parameters([*given, *(param or [])])
    if list_all:
        _show_all(scenarios(), as_json)
    elif name is None:
        known = ", ".join(scenarios())
        raise InputError(f"no scenario is named: choose one of {known} (see sjoin gen --list)")
    elif describe:
        _show_one(find_scenario(name), as_json)
    elif output is None:
        raise InputError(f"no file to write is named: add -o {name}.parquet")
    else:
        account = _generate(name, steps, seed, parameters, output)
        if as_json:
            print_json(account)
        elif not quiet:
            typer.echo(
                "{path}: {rows} rows in {steps} steps of scenario {scenario}, seed {seed}, "
                "fingerprint {fingerprint}".format_map(account)
            )


def _scenario_and_parameters(words: list[str]) -> tuple[str | None, list[str]]:
    """The scenario, if one is named, and what follows as --NAME VALUE or --NAME=VALUE."""
    names, assignments = [], []
    waiting = iter(words)
    for word in waiting:
        if not word.startswith("--"):
            names.append(word)
        elif "=" in word:
            assignments.append(word.removeprefix("--"))
        else:
            value = next(waiting, "--")
            if value.startswith("--"):
                raise InputError(f"{word} has no value: give it as {word} VALUE")
            assignments.append(f"{word.removeprefix('--')}={value}")
    if len(names) > 1:
        raise InputError(
            f"{names[1]!r} follows scenario {names[0]!r}: name one scenario, and its parameters "
            "as --NAME VALUE"
        )
    return (names[0] if names else None), assignments


def _parameters(assignments: list[str]) -> dict[str, str]:
    """Parameters given as NAME=VALUE, with dashes or underscores in the name."""
    parameters: dict[str, str] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        name = name.replace("-", "_")
        if not equals:
            raise InputError(f"parameter {assignment!r} has no value: give it as NAME=VALUE")
        if name in parameters:
            raise InputError(f"parameter {name} is given twice: leave one out")
        parameters[name] = value
    return parameters


def _generate(
    name: str, steps: int | None, seed: int, parameters: dict[str, str], output: Path
) -> dict:
    """Write the trace; returns the account of what was made."""
    from streamjoin_core.parameters import make_parameters
    from streamjoin_core.trace.scenarios import find_scenario, generate
    from streamjoin_core.trace.write import write_trace

    # Checked here, so that -p steps=9 is an unknown parameter and not another way to say --steps.
    checked = make_parameters(find_scenario(name).parameters, parameters, f"scenario {name}")
    trace = generate(name, steps=steps, seed=seed, **checked.as_dict())
    write_trace(trace, output)
    made = {key: trace.metadata[key] for key in ("scenario", "parameters", "steps", "seed")}
    return {
        "path": str(output),
        "rows": len(trace),
        **made,
        "fingerprint": trace.fingerprint,
    }


def _show_all(scenarios: dict, as_json: bool) -> None:
    if as_json:
        print_json({"scenarios": [_as_json(scenario) for scenario in scenarios.values()]})
        return
    rows = [(entry.name, str(entry.steps), entry.summary) for entry in scenarios.values()]
    print_list(("scenario", "steps", "what it is like"), rows)


def _show_one(scenario, as_json: bool) -> None:
    from streamjoin_core.parameters import describe

    if as_json:
        print_json(_as_json(scenario))
        return
    rows = [
        (f"--{name.replace('_', '-')}", str(default), meaning)
        for name, default, meaning in describe(scenario.parameters)
    ]
    rows.append(("--steps", str(scenario.steps), "length in units of time"))
    typer.echo(f"{scenario.explanation}\n")
    print_list(("parameter", "default", "meaning"), rows)


def _as_json(scenario) -> dict:
    from streamjoin_core.parameters import describe

    return {
        "scenario": scenario.name,
        "summary": scenario.summary,
        "steps": scenario.steps,
        "parameters": [
            {"name": name, "default": default, "meaning": meaning}
            for name, default, meaning in describe(scenario.parameters)
        ],
    }
