"""The exact result count of a windowed join against DuckDB: same rows, three repeats, best taken.

One tuple per stream and step. The peer is given its best: tables in memory, one per stream and with
no column that it does not need, all its threads, and the fastest formulation found. That joins by
key and stretch of time, so that a tuple meets only those of its own stretch and the two beside it.
Slower were two ASOF joins on numbered rows, range windows per key, and the plain join by key that
filters on time.
"""

import time

import numpy as np
import pyarrow as pa

from streamjoin_core.engine.joining import prepare_join
from streamjoin_core.engine.unlimited import EXACT
from streamjoin_core.trace.trace import Trace

ROWS = 10_000_000
REPEATS = 3
TARGET = 5

# Name, number of keys, Zipf exponent, window, target: the load of the other join benchmarks, and
# for the record one with hardly any results, which suits a hash join best.
LOADS = (
    ("1,000 Zipf keys, window 500", 1_000, 1, 500, TARGET),
    ("100,000 even keys, window 5,000", 100_000, 0, 5_000, None),
)

_COUNT = """
    SELECT count(*)
    FROM (SELECT time, key, time // {window} AS stretch FROM l) l
    JOIN (SELECT time, key, time // {window} + beside AS stretch
          FROM r, (VALUES (-1), (0), (1)) AS stretches(beside)) r
      ON l.key = r.key AND l.stretch = r.stretch
    WHERE l.time - r.time BETWEEN -{window} AND {window} AND l.time <> r.time
"""


def two_streams(rows: int, keys: int, exponent: float, seed: int = 0) -> Trace:
    """One tuple per stream and step, both streams with the same frequencies of keys."""
    rng = np.random.default_rng(seed)
    chances = np.cumsum(1 / np.arange(1, keys + 1) ** exponent)
    return Trace(
        time=np.repeat(np.arange(rows // 2), 2),
        stream=np.tile(np.array([0, 1], np.uint8), rows // 2),
        key=np.searchsorted(chances, rng.random(rows) * chances[-1]).astype(np.int32),
        key_values=np.arange(keys),
        labels=("R", "S"),
    )


def ours(trace: Trace, window: int) -> tuple[int, float]:
    """The count, and the seconds it took."""
    join = prepare_join(
        trace,
        window=(window, window),
        by_tuples=False,
        evict_first=False,
        on="=",
        band=None,
        combination="min",
        first_counted=0,
    )
    start = time.perf_counter()
    count = int(join.unlimited.pairs[EXACT])
    return count, time.perf_counter() - start


class Peer:
    """DuckDB with a trace's two streams as tables in memory."""

    def __init__(self, trace: Trace):
        import duckdb

        self._connection = duckdb.connect()
        self._connection.execute("SET enable_progress_bar = false")
        for side, name in enumerate("lr"):
            own = trace.stream == side
            columns = pa.table({"time": trace.time[own], "key": trace.key[own]})
            self._connection.register("arrivals", columns)
            self._connection.execute(f"CREATE TABLE {name} AS SELECT * FROM arrivals")
            self._connection.unregister("arrivals")

    def count(self, window: int) -> tuple[int, float]:
        start = time.perf_counter()
        (count,) = self._connection.execute(_COUNT.format(window=window)).fetchone()
        return count, time.perf_counter() - start

    def close(self) -> None:
        self._connection.close()


def rows() -> list[dict]:
    """One row per load: both speeds in tuples/s, and their ratio."""
    ours(two_streams(10, 3, 0), 1)  # compiles
    return [_measure(*load) for load in LOADS]


def _measure(name: str, keys: int, exponent: float, window: int, target: float | None) -> dict:
    trace = two_streams(ROWS, keys, exponent)
    peer = Peer(trace)
    best = theirs_best = float("inf")
    for _ in range(REPEATS):
        count, seconds = ours(trace, window)
        peer_count, peer_seconds = peer.count(window)
        assert count == peer_count, (name, count, peer_count)
        best, theirs_best = min(best, seconds), min(theirs_best, peer_seconds)
    peer.close()
    return {
        "name": f"exact count, {name}, against DuckDB",
        "ours": ROWS / best,
        "peer": ROWS / theirs_best,
        "ratio": theirs_best / best,
        "target": target,
    }
