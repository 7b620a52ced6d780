"""What some replays must know of the whole trace beforehand, each by a pass of its own."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from streamjoin_core.errors import InputError
from streamjoin_core.partitions.balance import is_heavy, pack
from streamjoin_core.partitions.partitioning import Partitioning
from streamjoin_core.partitions.work import NEVER
from streamjoin_core.spark.chunks import checked_rows, chunk_schema
from streamjoin_core.spark.recording import Layouts
from streamjoin_core.trace.hashing import column_of_keys

_SQL = {"int64": "bigint", "double": "double", "large_string": "string"}


def first_counted_time_on(
    rows, layouts: Layouts, numbers: dict[int, int], warmup: int
) -> int | None:
    """The time of the first step after so many; None for no warm-up."""
    if warmup == 0:
        return None

    def first_times(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        first = np.empty(0, np.int64)
        for some in _readable(checked_rows(batches, layouts, numbers)):
            first = np.union1d(first, some.columns["time"])[: warmup + 1]
        yield pa.RecordBatch.from_pydict({"time": pa.array(first)})

    times = rows.mapInArrow(first_times, "time bigint").distinct().orderBy("time")
    last = times.limit(warmup + 1).groupBy().agg({"*": "count", "time": "max"}).first()
    return last["max(time)"] if last["count(1)"] > warmup else NEVER


def balanced_on(rows, layouts: Layouts, numbers: dict[int, int], partitions: int) -> Partitioning:
    """The partitioning of even weight; only heavy keys and partitions' weights come back."""
    from pyspark.sql import functions as F

    kind = chunk_schema(layouts).field("key").type
    sql = _SQL[str(kind)]

    def weigh(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for some in _readable(checked_rows(batches, layouts, numbers)):
            counts = column_of_keys(some.columns["key"]).value_counts()
            keys = counts.field("values").cast(kind)
            yield pa.RecordBatch.from_pydict({"key": keys, "weight": counts.field("counts")})

    weights = rows.mapInArrow(weigh, f"key {sql}, weight bigint").groupBy("key")
    weights = weights.agg(F.sum("weight").alias("weight"))
    total = weights.agg(F.sum("weight")).first()[0] or 0

    def sift(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        loads = np.zeros(partitions, np.int64)
        for batch in batches:
            weight = batch.column("weight").to_numpy()
            heavy = is_heavy(weight, total, partitions)
            keys = batch.column("key")
            light = keys.filter(pa.array(~heavy))
            places = Partitioning(partitions).places(_as_keys(light))
            np.add.at(loads, places, weight[~heavy])
            own = {"key": keys.filter(pa.array(heavy)), "weight": weight[heavy]}
            yield _sifted(own["key"].cast(kind), np.full(heavy.sum(), -1), own["weight"], kind)
        numbers = np.arange(partitions)
        yield _sifted(pa.nulls(partitions, kind), numbers, loads, kind)

    loads, heavy = Counter(), []
    sifted = weights.mapInArrow(sift, f"key {sql}, partition int, weight bigint")
    for key, partition, weight in sifted.collect():
        if partition < 0:
            heavy.append((key, weight))
        else:
            loads[partition] += weight
    return pack(heavy, np.array([loads[number] for number in range(partitions)]))


def _sifted(
    keys: pa.Array, partitions: np.ndarray, weights: np.ndarray, kind: pa.DataType
) -> pa.RecordBatch:
    arrays = [keys, pa.array(partitions, pa.int32()), pa.array(weights, pa.int64())]
    return pa.RecordBatch.from_arrays(arrays, names=["key", "partition", "weight"])


def _as_keys(column: pa.Array) -> np.ndarray | pa.Array:
    return column if pa.types.is_string(column.type) else column.to_numpy(zero_copy_only=False)


def _readable(rows: Iterator) -> Iterator:
    """Rows up to the first that is bad: what is wrong with it is told by the replay."""
    try:
        yield from rows
    except InputError:
        return
