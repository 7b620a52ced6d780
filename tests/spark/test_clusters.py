"""Real clusters, whose processes may die, and what users are told when nothing works."""

import os
import shutil
import socket
from pathlib import Path

import numpy as np
import pyspark
import pytest

import streamjoin_core as sj
from streamjoin_core.errors import InputError, SjoinError
from streamjoin_core.report.write import report_json
from streamjoin_core.spark.cluster import Cluster, parse_conf
from streamjoin_core.spark.session import _translated
from tests.spark.processes import busy_executors, ended, kill, standalone, start_sjoin, wait_for

# Without compiled code a replay takes some seconds, in which things may happen.
SLOWLY = {"NUMBA_DISABLE_JIT": "1"}
OPTIONS = ("--policy", "rand,prob", "--mem", "40", "--window", "300", "--partitions", "4")


@pytest.fixture(scope="module")
def trace(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("trace") / "zipf.parquet"
    draw = np.random.default_rng(0)
    rows = 20_000
    made = sj.trace_from_arrays(
        np.arange(rows) // 2, np.minimum(draw.zipf(1.3, rows), 500), ["R", "S"] * (rows // 2)
    )
    sj.write_trace(made, path)
    return path


@pytest.fixture(scope="module")
def expected(trace) -> str:
    options = {"policy": "rand,prob", "mem": 40, "window": 300, "partitions": 4}
    return report_json(sj.replay(trace, **options)) + "\n"


@pytest.fixture
def no_traces_left():
    """Spark keeps the logs of a local cluster's executors beside its own files."""
    work = Path(pyspark.__file__).parent / "work"
    before = set(work.iterdir()) if work.exists() else None
    yield
    if before is None:
        shutil.rmtree(work, ignore_errors=True)
    else:
        for path in set(work.iterdir()) - before:
            shutil.rmtree(path, ignore_errors=True)


@pytest.mark.usefixtures("no_traces_left")
def test_an_executor_that_is_killed_changes_nothing(trace, expected):
    master = "local-cluster[2,1,1024]"
    asked = ("replay", trace, *OPTIONS, "--spark", "--master", master, "--json")
    with ended(start_sjoin(*asked, **SLOWLY)) as running:

        def two_at_work():
            assert running.poll() is None, running.communicate()
            found = busy_executors(running.pid)
            return found if len(found) == 2 else None

        kill(wait_for(two_at_work)[0])
        assert running.poll() is None, "it was over before the executor was killed"
        out, told = running.communicate(timeout=300)
    assert (running.returncode, told) == (0, "")
    assert out == expected


def test_a_standalone_cluster_and_its_loss(trace, expected, tmp_path):
    with standalone(tmp_path) as cluster:
        on_it = ("--spark", "--master", cluster.url, "--json")
        running = start_sjoin("replay", trace, *OPTIONS, *on_it)
        out, told = running.communicate(timeout=240)
        assert (running.returncode, told) == (0, "")
        assert out == expected

        soon = "spark.scheduler.maxRegisteredResourcesWaitingTime=5s"
        output = tmp_path / "report.json"
        more = ("--spark-conf", soon, "--output", output)
        running = start_sjoin("replay", trace, *OPTIONS, *on_it, *more, **SLOWLY)

        def at_work():
            assert running.poll() is None, running.communicate()
            return [one for pid in cluster.pids for one in busy_executors(pid)]

        wait_for(at_work)
        cluster.stop()
        out, told = running.communicate(timeout=240)
    assert (running.returncode, out) == (3, "")
    assert told.count("\n") == 1
    assert told.startswith("sjoin: ")
    assert not output.exists()


@pytest.mark.parametrize(
    "master", ["mesos://x", "local[", "local-cluster[2]", "spark://", "spark://host", "sc://", ""]
)
def test_no_master(master):
    with pytest.raises(InputError, match="is no Spark master"):
        Cluster(master)


def test_nobody_there(monkeypatch):
    monkeypatch.setattr("streamjoin_core.spark.cluster.find_spec", lambda name: name)
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # and does not listen
        port = bound.getsockname()[1]
        for master in (f"spark://127.0.0.1:{port}", f"sc://127.0.0.1:{port}/;user_id=me"):
            with pytest.raises(InputError, match=f"no Spark master at {master}"):
                Cluster(master).check()
    monkeypatch.setattr("streamjoin_core.spark.cluster.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pyspark\[connect\]"):
        Cluster("sc://host").check()


def test_no_java_or_an_old_one(trace, tmp_path):
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    for script, words in (
        (None, "no bin/java in JAVA_HOME"),
        ("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019' >&2\n", "11.0.2, too old"),
    ):
        if script:
            java.write_text(script)
            java.chmod(0o755)
        running = start_sjoin("replay", trace, *OPTIONS, "--spark", JAVA_HOME=str(tmp_path))
        out, told = running.communicate(timeout=60)
        assert (running.returncode, out, told.count("\n")) == (2, "", 1)
        assert words in told


def test_settings():
    assert parse_conf(["spark.a=b=c", " spark.d = e "]) == {"spark.a": "b=c", "spark.d": "e"}
    for bad in ("a=b", "spark.a", ""):
        with pytest.raises(InputError, match="no setting of Spark"):
            parse_conf([bad])


def test_spark_s_own_errors_become_one_sentence():
    missing = "PythonException: ModuleNotFoundError: No module named 'streamjoin_core'"
    assert "the executors have no sjoin" in str(_translated(RuntimeError(missing)))
    old = _translated(RuntimeError("gateway exited"), "java.lang.UnsupportedClassVersionError: x")
    assert isinstance(old, InputError)
    lost = "An error occurred\norg.apache.spark.SparkException: Job aborted: lost.\n\tat x.y(z)"
    found = _translated(RuntimeError(lost))
    assert (found.exit_code, str(found)) == (3, "Spark failed: Job aborted: lost")
    ours = SjoinError("as it is")
    assert _translated(ours) is ours


def test_options_that_do_not_go_together(trace):
    for options in (
        ("--master", "local[2]"),
        ("--spark-conf", "spark.a=b"),
        ("--spark", "--jobs", "2"),
    ):
        running = start_sjoin("replay", trace, *OPTIONS, *options, **os.environ)
        _, told = running.communicate(timeout=60)
        assert (running.returncode, told.count("\n")) == (2, 1)
