"""Spark Connect: a server that does the work, and its end in the middle of it."""

import json

import pytest

from tests.spark.processes import (
    connect_server,
    descendants,
    kill,
    runs_python,
    start_sjoin,
    wait_for,
)

TOWER = "traces/tower.parquet"
PARTITIONED = ("--mem", "5,10", "--window", "10", "--partitions", "3")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with connect_server(tmp_path_factory.mktemp("server")) as (address, _):
        yield address


def answer(*arguments) -> dict:
    running = start_sjoin(*arguments, "--json")
    out, told = running.communicate(timeout=240)
    assert (running.returncode, told) == (0, "")
    return json.loads(out)


@pytest.mark.parametrize(
    "asked",
    [
        ("replay", TOWER, "--policy", "prob,rand", *PARTITIONED, "--warmup", "9", "--balance"),
        ("opt-offline", TOWER, *PARTITIONED),
        ("sweep", TOWER, "--policies", "fifo,opt", "--mem", "3:5", "--window", "10"),
        ("fit", TOWER),
    ],
    ids=lambda asked: asked[0],
)
def test_it_gives_the_same(server, asked):
    assert answer(*asked, "--spark", "--master", server) == answer(*asked)


def test_ingest(server, tmp_path):
    raw = tmp_path / "raw"
    raw.mkdir()
    for number in range(2):
        (raw / f"{number}.csv").write_text(f"time,stream,key\n{number},R,a\n{number},S,b\n")
    made = tmp_path / "trace"
    told = answer("ingest", raw, "--output", made, "--spark", "--master", server)
    assert told["rows"] == 4
    assert answer("inspect", made, "--spark", "--master", server)["trace"]["rows"] == 4


def test_a_server_that_is_gone(tmp_path):
    """Looked for a few times here, and not for a minute."""
    output = tmp_path / "report.json"
    # What the server runs is slow, as it is not compiled: there is time to end it.
    with connect_server(tmp_path, NUMBA_DISABLE_JIT="1") as (address, process):
        few = "import streamjoin_core.spark.session as s; s._TRIES = 3; "
        options = ("--policy", "rand,prob", *PARTITIONED, "--spark", "--master", address)
        running = start_sjoin("replay", TOWER, *options, "--output", output, before=few)

        def at_work():
            assert running.poll() is None, running.communicate()
            return runs_python(process.pid)

        wait_for(at_work)
        for pid in (process.pid, *descendants(process.pid)):
            kill(pid)
        out, told = running.communicate(timeout=120)
    assert (running.returncode, out) == (3, "")
    assert told == "sjoin: the Spark Connect server is gone: see whether it runs, and try again\n"
    assert not output.exists()
