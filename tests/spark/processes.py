"""Processes of the machine: a standalone cluster, and executors to kill."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyspark

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
RUN = "from cli.main import run; run()"
_HERE = {"SPARK_LOCAL_IP": "127.0.0.1"}


def start_sjoin(*arguments, before: str = "", **environment) -> subprocess.Popen:
    """The real command, as a user's shell would start it, but for what is to be done before."""
    return subprocess.Popen(
        [sys.executable, "-c", before + RUN, *map(str, arguments)],
        env=os.environ | _HERE | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def ended(process: subprocess.Popen) -> Iterator[subprocess.Popen]:
    """See to it that nothing of a process is left, even if a test fails."""
    try:
        yield process
    finally:
        for pid in (*descendants(process.pid), process.pid) if process.poll() is None else ():
            with suppress(ProcessLookupError):
                kill(pid)
        process.wait()


def wait_for(condition: Callable, seconds: float = 300):
    """What the condition gives, once it gives something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds} s for {condition.__name__} in vain")


def descendants(process: int) -> list[int]:
    """All processes below one."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found, queue = [], [process]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


def busy_executors(process: int) -> list[int]:
    """Executors below a process that have started Python."""
    executors = [one for one in descendants(process) if "CoarseGrainedExecutor" in _command(one)]
    return [executor for executor in executors if runs_python(executor)]


def runs_python(process: int) -> bool:
    """Whether a process of Spark's has started Python."""
    return any("pyspark.daemon" in _command(below) for below in descendants(process))


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)


def _command(process: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_text()
    return ""


class Standalone:
    """A master and two workers, started from the PySpark that pip installed."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._started: list[subprocess.Popen] = []
        master = "org.apache.spark.deploy.master.Master"
        log = self._start("master", master, "--host", "127.0.0.1", "--port", 0)
        pattern = re.compile(r"Starting Spark master at (spark://\S+)")

        def address():
            return pattern.search(log.read_text())

        self.url = wait_for(address)[1]
        for number in range(2):
            worker = "org.apache.spark.deploy.worker.Worker"
            work = ("--work-dir", folder / f"work{number}", "--cores", 1, "--memory", "1g")
            log = self._start(f"worker{number}", worker, "--host", "127.0.0.1", *work, self.url)
            wait_for(lambda log=log: "Successfully registered" in log.read_text())

    def _start(self, name: str, main: str, *arguments) -> Path:
        log = self._folder / f"{name}.log"
        with log.open("w") as file:
            command = [str(SPARK_CLASS), main, "--webui-port", "0", *map(str, arguments)]
            environment = os.environ | _HERE
            started = subprocess.Popen(command, env=environment, stdout=file, stderr=file)
        self._started.append(started)
        return log

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._started]

    def stop(self) -> None:
        """End what was started, and what that has started."""
        for pid in [below for process in self.pids for below in descendants(process)] + self.pids:
            with suppress(ProcessLookupError):
                kill(pid)
        for process in self._started:
            process.wait()


@contextmanager
def standalone(folder: Path) -> Iterator[Standalone]:
    cluster = Standalone(folder)
    try:
        yield cluster
    finally:
        cluster.stop()


@contextmanager
def connect_server(folder: Path, **environment) -> Iterator[tuple[str, subprocess.Popen]]:
    """A server of Spark Connect: its address and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {"port": port, "address": "127.0.0.1"}
    confs = [
        f"--conf=spark.connect.grpc.binding.{name}={value}" for name, value in settings.items()
    ]
    main = ("--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal")
    log = folder / "connect.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [str(SPARK_CLASS.with_name("spark-submit")), "--master", "local[2]", *confs, *main],
            env=os.environ | _HERE | {"PYSPARK_PYTHON": sys.executable} | environment,
            stdout=file,
            stderr=file,
        )
    with ended(process):
        wait_for(lambda: "Connect server started" in log.read_text())
        yield f"sc://127.0.0.1:{port}", process
