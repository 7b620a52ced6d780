"""Starting Spark, quietly, and turning what goes wrong with it into one sentence."""

import os
import re
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from streamjoin_core.errors import InputError, SjoinError
from streamjoin_core.progress import Progress, silent
from streamjoin_core.spark.cluster import Cluster, under_spark_submit
from streamjoin_core.trace.units import parse_duration

_PACKAGES = Path(__file__).resolve().parents[2]
_UNTOLD = 8  # tasks at a time, where nobody tells
_POLL = 0.2  # seconds between looks at how far Spark is
# How long a cluster may take to give an executor: Spark's own setting, and our default of it.
_PATIENCE = ("spark.scheduler.maxRegisteredResourcesWaitingTime", "60s")
# How often a server of Spark Connect that is gone is looked for, and the longest pause, in ms: a
# minute in all.
_TRIES, _PAUSE = 15, 5000
_PYTHON = "spark.pyspark.python"
_OURS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.log.level": "ERROR",
    # Chunks are small as they are: they hold hardly anything twice.
    "spark.shuffle.compress": "false",
}
# Of a session, where others may run queries of their own under other settings.
_OF_SESSION = {
    "spark.sql.caseSensitive": "true",
    "spark.sql.legacy.parquet.nanosAsLong": "true",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    # With a limit in bytes Spark measures a batch anew for each row: that takes most of its time.
    "spark.sql.execution.arrow.maxBytesPerBatch": str((1 << 31) - 1),
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(1 << 11),  # rows, or pieces of chunks
}


@contextmanager
def spark_session(cluster: Cluster) -> Iterator:
    """A session on the cluster; one that is there already is used, and left alone."""
    cluster.check()
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        yield _prepared(running.newSession())
        return
    with tempfile.TemporaryFile() as log:
        session = _start(cluster, log)
        try:
            yield _prepared(session)
        finally:
            with suppress(Exception):  # a cluster that is lost cannot be left properly
                session.stop()
            _end_java()


def run(session, work: Callable, progress: Progress | None = None):
    """Do something that Spark works on, tell how far it is, and name what goes wrong."""
    progress = progress or silent
    outcome: dict = {}

    def go() -> None:
        try:
            outcome["result"] = work()
        except BaseException as error:
            outcome["error"] = error

    thread = threading.Thread(target=go, daemon=True)
    thread.start()
    watch = _Watch(session, progress)
    try:
        while thread.is_alive():
            thread.join(_POLL)
            watch.look()
    except BaseException:
        with suppress(Exception):
            session.sparkContext.cancelAllJobs()
        raise
    if "error" in outcome:
        raise _translated(outcome["error"]) from outcome["error"]
    return outcome["result"]


class _Watch:
    """How far Spark is, as one number of tasks; and whether the cluster gives anything at all."""

    def __init__(self, session, progress: Progress):
        self._context = None if _is_connect(session) else session.sparkContext
        self._progress = progress
        if self._context is not None:
            self._patience = parse_duration(self._context.getConf().get(*_PATIENCE), "ms") / 1000
        self._waiting_since = time.monotonic()

    def look(self) -> None:
        if self._context is None:
            return
        tracker = self._context.statusTracker()
        done = total = 0
        for job in tracker.getActiveJobsIds():
            info = tracker.getJobInfo(job)
            stages = [tracker.getStageInfo(stage) for stage in (info.stageIds if info else ())]
            done += sum(stage.numCompletedTasks for stage in stages if stage)
            total += sum(stage.numTasks for stage in stages if stage)
        self._progress("Spark tasks", done, total)
        self._refuse_to_wait_for_ever()

    def _refuse_to_wait_for_ever(self) -> None:
        if self._context.master.startswith("local") or self._has_executors():
            self._waiting_since = time.monotonic()
        elif time.monotonic() - self._waiting_since > self._patience:
            raise SjoinError(
                f"the cluster at {self._context.master} gives no executor: see whether its workers "
                "run and have cores and memory left"
            )

    def _has_executors(self) -> bool:
        # The driver itself is one of them.
        return self._context._jsc.sc().getExecutorMemoryStatus().size() > 1


def slots(session) -> int:
    """How many tasks the cluster may work on at a time; Spark Connect does not tell."""
    return _UNTOLD if _is_connect(session) else session.sparkContext.defaultParallelism


def _start(cluster: Cluster, log):
    # The driver asks for workers of this Python by the environment, whatever the settings say.
    os.environ.setdefault("PYSPARK_PYTHON", cluster.conf.get(_PYTHON, sys.executable))
    settings = _OURS | {
        _PYTHON: os.environ["PYSPARK_PYTHON"],
        "spark.executorEnv.PYTHONPATH": _python_path(),
    }
    cache = os.environ.get("SJOIN_CACHE_DIR")
    if cache:
        settings["spark.executorEnv.SJOIN_CACHE_DIR"] = cache
    if cluster.is_connect:
        return _connect(cluster)
    if (cluster.url or "").startswith("local"):
        settings["spark.driver.host"] = settings["spark.driver.bindAddress"] = "127.0.0.1"
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    conf = SparkConf().setAppName("sjoin").setAll((settings | cluster.conf).items())
    if cluster.url is not None:
        conf.setMaster(cluster.url)
    try:
        gateway = None
        if SparkContext._gateway is None and not under_spark_submit():
            gateway = launch_gateway(conf, {"stdout": log, "stderr": log})
        context = SparkContext(conf=conf, gateway=gateway)
    except Exception as error:
        _end_java()
        raise _translated(error, _last_words(log)) from error
    return SparkSession(context)


def _connect(cluster: Cluster):
    from pyspark.sql import SparkSession

    try:
        builder = SparkSession.builder.remote(cluster.master)
        for name, value in cluster.conf.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
    except Exception as error:
        raise _translated(error) from error
    # By itself Spark would look for a lost server for more than ten minutes, without a word.
    from pyspark.sql.connect.client.retries import DefaultPolicy

    warnings.filterwarnings("ignore", r"\[RETRIES_EXCEEDED\]")
    session.client.set_retry_policies([DefaultPolicy(max_retries=_TRIES, max_backoff=_PAUSE)])
    return session


def _prepared(session):
    for name, value in _OF_SESSION.items():
        session.conf.set(name, value)
    return session


def _python_path() -> str:
    """Where executors on machines like this one find sjoin; elsewhere it does no harm."""
    return os.pathsep.join(filter(None, [str(_PACKAGES), os.environ.get("PYTHONPATH")]))


def _is_connect(session) -> bool:
    return type(session).__module__.startswith("pyspark.sql.connect")


def _end_java() -> None:
    """End the Java process, so that the next session may be on another cluster."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    if gateway is not None and not under_spark_submit():
        with suppress(Exception):
            gateway.shutdown()
        process = getattr(gateway, "proc", None)
        if process is not None:
            process.stdin.close()
            with suppress(Exception):
                process.wait(10)
        SparkContext._gateway = SparkContext._jvm = None


def _last_words(log) -> str:
    log.seek(0)
    return log.read().decode(errors="replace")


def _translated(error: BaseException, log: str = "") -> BaseException:
    """An error of ours for one of Spark's."""
    if isinstance(error, SjoinError | KeyboardInterrupt):
        return error
    told = f"{error}\n{log}"
    if "No module named 'streamjoin_core'" in told:
        return InputError(
            "the executors have no sjoin: install it there, or ship an environment that has it "
            "(spark-submit --archives)"
        )
    if "UnsupportedClassVersionError" in told:
        return InputError("this Java is too old for Spark: sjoin doctor tells what is needed")
    if "StatusCode.UNAVAILABLE" in told:
        return SjoinError("the Spark Connect server is gone: see whether it runs, and try again")
    return SjoinError(f"Spark failed: {_gist(told)}")


def _gist(told: str) -> str:
    """The line that says most, without the names of Java's classes."""
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    causes = [line for line in lines if re.search(r"(Error|Exception|Caused by)\b.*: ", line)]
    line = (causes or lines or ["no reason given"])[0]
    line = re.sub(r"^(Caused by: )?([\w$]+\.)+[\w$]+: ", "", line)
    return line[:300].rstrip(".")
