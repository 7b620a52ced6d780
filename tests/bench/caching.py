"""Caching against libCacheSim: the same references, objects of size 1, three repeats, best taken.

The peer is given its best: its fastest reader (4 bytes per reference, memory-mapped; Belady needs
long records that hold the next reference), a hash table that fits the memory instead of the default
of 16 M places, and a clock that runs only while it replays. Ours includes all preparation, for lfd
also the search for next references.
"""

import tempfile
import time
from pathlib import Path

import numpy as np

from streamjoin_core.engine.caching import CachingTask
from streamjoin_core.policies.registry import find_policy
from streamjoin_core.trace.trace import Trace

REFERENCES = 5_000_000
KEYS = 1_000_000
MEMORIES = (1_000, 100_000)
REPEATS = 3
TARGET = 1.5
PEERS = {"fifo": "FIFO", "lru": "LRU", "lfu": "LFU", "lfd": "Belady", "rand": "Random"}

_LONG_RECORD = np.dtype([("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")])


def zipf_trace(references: int, keys: int, seed: int = 0) -> Trace:
    """References by Zipf's law with exponent 1; ids do not tell how frequent a key is."""
    rng = np.random.default_rng(seed)
    chances = np.cumsum(1 / np.arange(1, keys + 1))
    ranks = np.searchsorted(chances, rng.random(references) * chances[-1])
    return Trace(
        time=np.arange(references),
        stream=np.zeros(references, np.uint8),
        key=rng.permutation(keys).astype(np.int32)[ranks],
        key_values=np.arange(keys),
        labels=("R",),
    )


class PeerTrace:
    """A trace in the files that libCacheSim reads."""

    def __init__(self, trace: Trace, folder: Path):
        self._short, self._long = folder / "references.bin", folder / "references.oracleGeneral"
        (trace.key + 1).astype("<u4").tofile(self._short)  # its ids start at 1
        records = np.zeros(len(trace), _LONG_RECORD)
        records["id"] = trace.key + 1
        records["size"] = 1
        records["next"] = _next_references(trace.key)
        records.tofile(self._long)
        self._rows = len(trace)

    def replay(self, algorithm: str, mem: int) -> tuple[int, float]:
        """Hits and seconds of one replay."""
        import libcachesim

        reader = self._reader(is_long=algorithm == "Belady")
        table_bits = max(16, mem.bit_length() + 1)
        cache = getattr(libcachesim, algorithm)(mem, hashpower=table_bits)
        start = time.perf_counter()
        miss_ratio, _ = cache.process_trace(reader)
        seconds = time.perf_counter() - start
        return round((1 - miss_ratio) * self._rows), seconds

    def _reader(self, is_long: bool):
        from libcachesim import ReaderInitParam, TraceReader, TraceType

        if is_long:
            options = ReaderInitParam(ignore_obj_size=True)
            return TraceReader(str(self._long), TraceType.ORACLE_GENERAL_TRACE, options)
        options = ReaderInitParam(binary_fmt_str="<I", ignore_obj_size=True)
        options.obj_id_field = 1
        return TraceReader(str(self._short), TraceType.BIN_TRACE, options)


def _next_references(keys: np.ndarray) -> np.ndarray:
    """Per row, the number of the next reference to the same key, -1 if there is none."""
    by_key = np.argsort(keys, kind="stable")
    result = np.full(len(keys), -1)
    is_same = keys[by_key[1:]] == keys[by_key[:-1]]
    result[by_key[:-1][is_same]] = by_key[1:][is_same]
    return result


def _seconds(policy, trace: Trace, mem: int) -> float:
    task = CachingTask(trace, policy.parameters(), mem)
    start = time.perf_counter()
    policy.caching(task)
    return time.perf_counter() - start


def rows() -> list[dict]:
    """One row per policy and memory: both speeds in references/s, and their ratio."""
    trace = zipf_trace(REFERENCES, KEYS)
    compile_with = zipf_trace(10, 3)
    table = []
    with tempfile.TemporaryDirectory() as folder:
        peer = PeerTrace(trace, Path(folder))
        for name, algorithm in PEERS.items():
            policy = find_policy(name)
            _seconds(policy, compile_with, mem=1)
            for mem in MEMORIES:
                ours = theirs = float("inf")
                for _ in range(REPEATS):
                    ours = min(ours, _seconds(policy, trace, mem))
                    theirs = min(theirs, peer.replay(algorithm, mem)[1])
                table.append(
                    {
                        "name": f"{name}, memory {mem:,}, against libCacheSim's {algorithm}",
                        "ours": REFERENCES / ours,
                        "peer": REFERENCES / theirs,
                        "ratio": theirs / ours,
                        "target": TARGET,
                    }
                )
    return table
