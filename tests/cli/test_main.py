"""The command itself: help, endings, and how little it loads."""

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
import typer

from cli import main
from streamjoin_core.errors import CheckError

SJOIN = Path(sys.executable).with_name("sjoin")


def sjoin(*arguments, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [SJOIN, *arguments], capture_output=True, text=True, timeout=300, **options
    )


@pytest.fixture
def ending(monkeypatch, capsys):
    """Run a command that ends with this error; returns exit code, stdout and stderr."""

    def run(error: BaseException):
        def fail(*arguments, **options):
            raise error

        monkeypatch.setattr(main, "app", fail)
        monkeypatch.setattr(sys.stdout, "reconfigure", lambda **options: None, raising=False)
        monkeypatch.setattr(sys.stderr, "reconfigure", lambda **options: None, raising=False)
        with pytest.raises(SystemExit) as end:
            main.run()
        return end.value.code, *capsys.readouterr()

    return run


def test_help_names_all_commands():
    for arguments in ([], ["--help"], ["-h"]):
        told = sjoin(*arguments)
        assert (told.returncode, told.stderr) == (0, "")
        for name in main.COMMANDS:
            assert f"  {name} " in told.stdout


def test_every_command_has_help():
    for name in main.COMMANDS:
        told = sjoin(name, "--help", env=os.environ | {"COLUMNS": "80"})
        assert told.returncode == 0
        assert f"  sjoin {name} " in told.stdout  # an example
        assert max(map(len, told.stdout.splitlines())) <= 80


def test_help_loads_nothing_heavy():
    code = (
        "import sys; sys.argv = ['sjoin', '--help']; import cli.main as main\n"
        "try: main.run()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'numba', 'pyarrow', 'pyspark', 'pandas', 'scipy', 'rich'}\n"
        "print('loaded', sorted(heavy & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.endswith("loaded []\n")


def test_version():
    assert sjoin("--version").stdout == f"sjoin {metadata.version('sjoin')}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["repaly"], "no such command 'repaly'"),
        (["replay", "--polcy", "fifo"], "no such option: --polcy"),
        (["replay", "x.parquet"], "missing option '--policy'"),
        (["replay", "--policy"], "option '--policy' requires an argument"),
        (["replay", "--policy", "fifo", "--seeds", "none"], "'--seeds'"),
        (["reduce", "x.parquet"], "missing option '--output'"),
    ],
)
def test_wrong_usage_is_one_line(arguments, words):
    told = sjoin(*arguments)
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.startswith("sjoin: ")
    assert told.stderr.count("\n") == 1
    assert words in told.stderr
    assert "--help)" in told.stderr


def test_errors_on_purpose_keep_their_exit_code(ending):
    assert ending(CheckError("recall fell")) == (1, "", "sjoin: recall fell\n")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), main.Interrupted("interrupted")])
def test_interruption(ending, error):
    assert ending(error) == (130, "", "sjoin: interrupted\n")


def test_a_bug_is_one_line_and_code_3(ending, monkeypatch):
    monkeypatch.delenv("SJOIN_DEBUG", raising=False)
    code, out, err = ending(ZeroDivisionError("by\nzero"))
    assert (code, out) == (3, "")
    assert err == (
        "sjoin: internal failure: ZeroDivisionError: by; please report it "
        "(SJOIN_DEBUG=1 shows more)\n"
    )


def test_a_bug_shows_where_when_asked(ending, monkeypatch):
    monkeypatch.setenv("SJOIN_DEBUG", "1")
    code, _, err = ending(ZeroDivisionError("by zero"))
    assert code == 3
    assert "Traceback" in err


def test_exit_codes_of_commands_pass_through(monkeypatch):
    monkeypatch.setattr(main, "app", lambda **options: 2)
    with pytest.raises(SystemExit) as end:
        main.run()
    assert end.value.code == 2


@pytest.mark.parametrize("arguments", ["policies", "policies --json", "gen --list", "--help"])
def test_closed_pipes_end_quietly(arguments):
    """Both plain output and Rich's, by a reader that goes away before anything is written."""
    command = subprocess.Popen(
        [SJOIN, *arguments.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    command.stdout.close()
    _, stderr = command.communicate(timeout=120)
    assert (command.returncode, stderr) == (0, "")


def test_control_c_while_a_command_runs(monkeypatch):
    def interrupted() -> None:
        raise KeyboardInterrupt

    alone = typer.Typer()
    alone.command("policies")(interrupted)
    monkeypatch.setattr(main, "_build", lambda name: typer.main.get_command(alone))
    with pytest.raises(main.Interrupted) as end:
        main.app(["policies"], standalone_mode=False)
    assert end.value.exit_code == 130


def test_strange_characters_do_not_stop_a_poor_terminal():
    told = sjoin("policies", "greedy", env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert (told.returncode, told.stderr) == (0, "")
    assert r"2008, \xa74" in told.stdout  # a paragraph sign in the original


def test_commands_are_functions_of_their_own_modules():
    group = typer.main.get_command(main.app)
    assert group.list_commands(None) == list(main.COMMANDS)
    assert group.get_command(None, "nonsense") is None
