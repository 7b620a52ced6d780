"""Partitions in one process, in two, and over Spark: rows per second, and what Spark adds.

SJOIN_BENCH_ROWS sets the number of rows, 50 million by default; a tenth of it is run as well, to
see how time grows. Times are the better of two, in a session that has done such a tenth before.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROWS = int(os.environ.get("SJOIN_BENCH_ROWS", "50_000_000"))
FILES = 16
PARTITIONS = 8
MOST_OVER_LOCAL = 1.5

# One process for each, since a process's peak of memory never falls.
CODE = """
import sys, time
import streamjoin_core as sj
from streamjoin_core.spark.cluster import Cluster
from streamjoin_core.spark.session import spark_session

def go(path, **how):
    start = time.perf_counter()
    options = {"policy": "prob", "mem": 10_000, "window": 50_000, "partitions": %d}
    sj.replay(path, **options, **how)
    return time.perf_counter() - start

if __name__ == "__main__":
    path, small, how = sys.argv[1:]
    if how == "spark":
        cluster = Cluster("local[2]")
        with spark_session(cluster):
            go(small, spark=cluster)
            print("seconds", min(go(path, spark=cluster) for _ in range(2)))
            input()
    else:
        go(small, jobs=int(how))
        print("seconds", min(go(path, jobs=int(how)) for _ in range(2)))
        input()
"""


def rows() -> list[dict]:
    table = []
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "run.py"
        script.write_text(CODE % PARTITIONS)
        small = _write(Path(folder) / "small", ROWS // 10)
        seconds = {}
        for number in (ROWS // 10, ROWS):
            trace = _write(Path(folder) / str(number), number)
            for how, name in (
                ("1", "one process"),
                ("2", "two processes"),
                ("spark", "Spark, local[2]"),
            ):
                seconds[how, number], peak = _run(script, trace, small, how)
                per_second = number / seconds[how, number]
                label = f"partitions: prob, {number:,} rows, {PARTITIONS} partitions, {name}"
                table.append({"name": label, "ours": per_second, "unit": "rows/s"})
                table.append({"name": f"{label}: peak memory", "ours": peak, "unit": "MB"})
    for how in ("1", "2", "spark"):
        growth = seconds[how, ROWS] / seconds[how, ROWS // 10]
        name = f"partitions: time for ten times the rows, by {how.replace('spark', 'Spark')}"
        table.append({"name": name, "ours": growth, "unit": "x"})
    over = seconds["spark", ROWS] / seconds["2", ROWS]
    name = "partitions: Spark's seconds for one of two local processes"
    return [*table, {"name": name, "ours": over, "unit": "s", "goal": MOST_OVER_LOCAL}]


def _write(folder: Path, number: int) -> Path:
    """Files of a trace with Zipf-like keys, one after the other."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    draw = np.random.default_rng(0)
    for file in range(FILES):
        first, size = file * number // FILES, number // FILES
        place = np.arange(first, first + size)
        keys = np.exp(draw.random(size) * np.log(100_000)).astype(np.int64)
        table = pa.table(
            {
                "time": place // 2,
                "stream": pa.DictionaryArray.from_arrays((place % 2).astype(np.int8), ["R", "S"]),
                "key": keys,
            }
        )
        pq.write_table(table, folder / f"{file:03}.parquet")
    return folder


def _run(script: Path, trace: Path, small: Path, how: str) -> tuple[float, float]:
    """Seconds of the work, and the largest peak of memory, in MB, among all processes' own."""
    from tests.spark.processes import descendants

    command = [sys.executable, str(script), str(trace), str(small), how]
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        command,
        env=os.environ | {"PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    for line in process.stdout:
        if line.startswith("seconds"):
            break
    else:
        raise RuntimeError(f"no result from {how}")
    peaks = [_peak(pid) for pid in (process.pid, *descendants(process.pid))]
    process.communicate("\n")
    return float(line.split()[1]), max(peaks) / 1000


def _peak(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s+(\d+)", status)
    return int(found[1]) if found else 0
