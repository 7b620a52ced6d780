"""Work on single items in tasks of a cluster, for what is not cut by key."""

import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from streamjoin_core.errors import SjoinError
from streamjoin_core.progress import Progress
from streamjoin_core.spark.gathering import Fault
from streamjoin_core.spark.session import run
from streamjoin_core.trace.read import Recording

_RESULTS = "number bigint, body binary"


def results_on(session, work: Callable, items: list, progress: Progress) -> list:
    """What the work makes of each item, in their order; a task does one of them."""

    def go(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column("id").to_pylist():
                yield _record(number, _result(work, items[number]))

    if not items:
        return []
    tasks = session.range(0, len(items), 1, len(items)).mapInArrow(go, _RESULTS)
    found = {
        record.number: pickle.loads(record.body) for record in run(session, tasks.collect, progress)
    }
    results = [found[number] for number in range(len(items))]
    for result in results:
        if isinstance(result, Fault):
            raise result.kind(result.message)
    return results


def _result(work: Callable, item):
    try:
        return work(item)
    except SjoinError as error:
        return Fault(str(error), type(error))


def _record(number: int, result) -> pa.RecordBatch:
    arrays = [pa.array([number], pa.int64()), pa.array([pickle.dumps(result)], pa.binary())]
    return pa.RecordBatch.from_arrays(arrays, names=["number", "body"])


def from_anywhere(recording: Recording) -> Recording:
    """The recording with whole paths, since executors work in folders of their own."""
    sides = {name: getattr(recording, name) for name in ("path", "left", "right")}
    whole = {name: path and Path(path).absolute() for name, path in sides.items()}
    return replace(recording, **whole)
