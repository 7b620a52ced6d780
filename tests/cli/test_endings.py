"""How commands end when the user interrupts them, or when there is no room for what they write."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import streamjoin_core as sj
from cli import main
from tests.cli.test_main import SJOIN, sjoin
from tests.small_traces import SMALL

TOWER = sj.generate("tower", steps=2000, seed=1)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sj.write_trace(SMALL, "small.parquet")
    sj.write_trace(TOWER, "tower.parquet")


def started(*arguments) -> subprocess.Popen:
    """In a group of its own, as a shell would start it."""
    return subprocess.Popen(
        [SJOIN, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )


def wait_for(condition, seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def lines_of(path: str) -> int:
    return Path(path).read_text().count("\n") if os.path.exists(path) else 0


SWEEP = (
    *("sweep", "tower.parquet", "--policies", "rand,fifo", "--mem", "1:60", "--seeds", "400"),
    *("--output", "sweep.json"),
)


@pytest.mark.parametrize("to_group", [True, False], ids=["ctrl-c", "kill -INT"])
def test_an_interrupted_sweep(to_group):
    """Ctrl-C goes to all processes of the terminal, kill to one."""
    command = started(*SWEEP, "--jobs", "2")
    wait_for(lambda: lines_of("sweep.json.partial") > 10)
    (os.killpg if to_group else os.kill)(command.pid, signal.SIGINT)
    stdout, stderr = command.communicate(timeout=120)
    assert (command.returncode, stdout) == (130, "")
    assert stderr.startswith("sjoin: interrupted: ")
    assert stderr.endswith("are kept in sweep.json.partial: --resume goes on from there\n")
    assert stderr.count("\n") == 1
    assert sorted(os.listdir()) == ["small.parquet", "sweep.json.partial", "tower.parquet"]
    with pytest.raises(ProcessLookupError):
        os.killpg(command.pid, 0)  # nobody is left behind


def test_an_interrupted_replay():
    command = started(
        "replay", "tower.parquet", "--policy", "rand", "--mem", "1:9999", "-o", "o.csv"
    )
    time.sleep(3)
    command.send_signal(signal.SIGINT)
    stdout, stderr = command.communicate(timeout=120)
    assert (command.returncode, stdout, stderr) == (130, "", "sjoin: interrupted\n")
    assert sorted(os.listdir()) == ["small.parquet", "tower.parquet"]


def _small_files_only():
    resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))


WRITING = {
    "gen": "gen tower --steps 5000 -o {}.parquet",
    "reduce": "reduce cache.parquet -o {}.parquet",
    "replay": "replay small.parquet --policy fifo --mem 1:9 -o {}.json",
    "table": "replay small.parquet --policy fifo --mem 1:9 -o {}.csv",
    "sweep": "sweep small.parquet --policies fifo --mem 1:9 --jobs 1 -o {}.json",
    "curve": "sweep small.parquet --policies fifo --mem 1:9 --jobs 1 --plot {}.png",
    "schedule": "opt-offline small.parquet --mem 2 --schedule {}.parquet",
    "ledger": "explain small.parquet --policy fifo --mem 1 --ledger {}.parquet",
    "baseline": "check small.parquet --policy fifo --mem 1:9 --update-baseline --baseline {}.json",
    "page": "report small.parquet --policy fifo --mem 1 --jobs 1 -o {}.html",
}


@pytest.mark.parametrize("name", WRITING)
def test_a_file_that_cannot_be_written_is_named(name):
    sj.write_trace(sj.trace_from_arrays(range(500), [1] * 500), "cache.parquet")
    warm = CliRunner().invoke(main.app, WRITING[name].format("warm").split())
    assert warm.exit_code == 0, warm.output  # and nothing is left to compile
    before = sorted(os.listdir())
    told = sjoin(*WRITING[name].format("full").split(), preexec_fn=_small_files_only)
    assert told.returncode == 2, told.stderr
    assert told.stderr.startswith("sjoin: cannot write full.")
    assert told.stderr.endswith(": File too large\n")
    assert told.stderr.count("\n") == 1
    assert [file for file in sorted(os.listdir()) if not file.endswith(".partial")] == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize("arguments", ["policies", "policies --json", "gen --list", "--help"])
def test_a_full_stdout(arguments):
    with open("/dev/full", "w") as full:
        told = subprocess.run(
            [SJOIN, *arguments.split()], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120
        )
    assert (told.returncode, told.stderr) == (
        2,
        "sjoin: cannot write to stdout: No space left on device\n",
    )


def test_python_ignores_the_signal_of_large_files():
    """What the tests above rest on: writing fails, and the process is not killed."""
    assert signal.getsignal(signal.SIGXFSZ) == signal.SIG_IGN, sys.version
