"""The command `sjoin`: its subcommands, and how every one of them ends."""

import errno
import os
import sys
from importlib import import_module
from typing import Annotated

import typer
from typer.core import TyperGroup

from streamjoin_core.errors import SjoinError

# Each is the function of that name, with underscores, in the module of that name, which is loaded
# when it is needed.
COMMANDS = (
    "replay",
    "opt-offline",
    "lfd",
    "policies",
    "inspect",
    "gen",
    "ingest",
    "reduce",
    "experiment",
    "fit",
    "age-curve",
    "sample",
    "alloc",
    "shed",
    "calibrate",
    "frontier",
    "sweep",
    "check",
    "explain",
    "plan",
    "compare",
    "report",
    "version",
    "doctor",
)

# What the system says when there is no room for what is to be written.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class Interrupted(SjoinError):
    """The user pressed Ctrl-C."""

    exit_code = 130


class Commands(TyperGroup):
    """Subcommands that are built only when they are asked for, so that the start is quick."""

    def list_commands(self, ctx) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx, name: str):
        if name in COMMANDS and name not in self.commands:
            self.commands[name] = _build(name)
        return self.commands.get(name)

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            # Told apart here, since Typer ends an interrupted command without a word.
            raise Interrupted(": ".join(["interrupted", *interrupt.args])) from interrupt


def _build(name: str):
    module = import_module(f"cli.{name.replace('-', '_')}")
    function = getattr(module, name.replace("-", "_"))
    settings = getattr(module, "CONTEXT_SETTINGS", None)
    summary = function.__doc__.partition("\n")[0]  # whole, where Typer would cut it short
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, context_settings=settings, short_help=summary)(function)
    return typer.main.get_command(alone)


app = typer.Typer(
    cls=Commands,
    # Plain help starts in half the time of one with boxes.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        from streamjoin_core.version import installed_version

        typer.echo(f"sjoin {installed_version() or 'from sources'}")
        raise typer.Exit()


Version = Annotated[
    bool,
    typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
]


@app.callback(invoke_without_command=True)
def main(context: typer.Context, version: Version = False) -> None:
    """Which tuples to keep when a stream join does not fit in memory.

    Replays recorded arrivals under a limited memory and tells what each policy loses.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run() -> None:
    """Run the command line: every ending is an exit code and at most one line on stderr."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that has no such character gets its code instead of a failure.
        stream.reconfigure(errors="backslashreplace")
    code = _run()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _end_quietly()
    except OSError as error:
        _end_quietly()
        code = _tell_unwritable(error)
    sys.exit(code)


def _run() -> int:
    try:
        return app(prog_name="sjoin", standalone_mode=False) or 0
    except SjoinError as error:
        return _tell(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return _tell("interrupted", Interrupted.exit_code)
    except SystemExit as ending:
        # Rich and Typer end the program themselves when a pipe is closed.
        if isinstance(ending.__context__, BrokenPipeError):
            return _end_quietly()
        raise
    except BrokenPipeError:
        return _end_quietly()
    except OSError as error:
        if error.errno not in _NO_ROOM:
            return _tell_bug(error)
        _end_quietly()
        return _tell_unwritable(error)
    except Exception as error:
        return _tell_usage(error) if hasattr(error, "format_message") else _tell_bug(error)


def _tell_bug(error: Exception) -> int:
    if os.environ.get("SJOIN_DEBUG"):
        import traceback

        traceback.print_exc()
    what = f"{type(error).__name__}: {error}".partition("\n")[0]
    return _tell(f"internal failure: {what}; please report it (SJOIN_DEBUG=1 shows more)", 3)


def _tell_unwritable(error: OSError) -> int:
    """A file names itself; what has no name is stdout."""
    return _tell(f"cannot write {error.filename or 'to stdout'}: {os.strerror(error.errno)}", 2)


def _tell(message: str, code: int) -> int:
    typer.echo(f"sjoin: {message}", err=True)
    return code


def _tell_usage(error) -> int:
    """What Typer says about wrong options, as one sentence."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "sjoin"
    message = " ".join(error.format_message().split()).rstrip(".")
    return _tell(f"{message[:1].lower()}{message[1:]} (see {command} --help)", error.exit_code)


def _end_quietly() -> int:
    """Nobody reads any more: that is no failure, and the last flush must not become one."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
