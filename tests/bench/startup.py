"""Start-up of the real command, and the memory that a long replay needs."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

REPEATS = 3
ROWS = 20_000_000
SAMPLE = Path(__file__).resolve().parents[2] / "traces" / "tower.parquet"
SJOIN = Path(sys.executable).parent / "sjoin"


def rows() -> list[dict]:
    replay = ["replay", str(SAMPLE), "--policy", "fifo,prob", "--mem", "10", "--json"]
    with tempfile.TemporaryDirectory() as cache:
        cold = _seconds(replay, cache)
        warm = min(_seconds(replay, cache) for _ in range(REPEATS))
        help_seconds = min(_seconds(["--help"], cache) for _ in range(REPEATS))
    return [
        _row("start-up: sjoin --help", help_seconds, 0.3),
        _row("start-up: sample replay, compiled before", warm, 1.5),
        _row("start-up: sample replay, first time ever (two policies compile)", cold, None),
        _footprint(),
    ]


def _row(name: str, seconds: float, goal: float | None) -> dict:
    return {"name": name, "ours": seconds, "unit": "s", "goal": goal}


def _seconds(arguments: list[str], cache: str) -> float:
    start = time.perf_counter()
    environment = os.environ | {"SJOIN_CACHE_DIR": cache}
    subprocess.run([SJOIN, *arguments], env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _footprint() -> dict:
    """Peak resident size of a replay, against 1.5 times the columns and 200 MB."""
    import pyarrow as pa

    import streamjoin_core as sj

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.parquet"
        rng = np.random.default_rng(0)
        table = pa.table(
            {
                "time": np.repeat(np.arange(ROWS // 2), 2),
                "stream": pa.DictionaryArray.from_arrays(np.arange(ROWS) % 2, ["R", "S"]),
                "key": rng.integers(0, 100_000, ROWS),
            }
        )
        sj.write_trace(table, path)
        # Not getrusage: what it tells includes the process that started this one.
        code = (
            "import re, sys; import streamjoin_core as sj; "
            "sj.replay(sys.argv[1], policy='prob', mem=1000, window=50000); "
            "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
        )
        command = [sys.executable, "-c", code, str(path)]
        # The better of two: the first one may have to compile, which takes memory of its own.
        peak = 1024 * min(
            int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
            for _ in range(2)
        )
    columns = ROWS * (8 + 1 + 4)
    goal = (1.5 * columns + 200e6) / 1e6
    name = f"memory: replay of {ROWS:,} rows, whose columns take {columns / 1e6:.0f} MB"
    return {"name": name, "ours": peak / 1e6, "unit": "MB", "goal": goal}
