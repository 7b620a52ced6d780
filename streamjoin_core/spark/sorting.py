"""What a cluster does to a folder of a trace's files as a whole: sort them, and count keys."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from streamjoin_core.errors import SjoinError
from streamjoin_core.progress import Progress
from streamjoin_core.spark.chunks import as_stored, larger
from streamjoin_core.spark.recording import AT, ROW_BITS, Layouts, find_layouts, read_rows
from streamjoin_core.spark.session import run
from streamjoin_core.trace.columns import Columns
from streamjoin_core.trace.layout import Request
from streamjoin_core.trace.read import Recording
from streamjoin_core.trace.write import write_tables

_SORTED = "_sorted"  # a folder that does not count until all is in it


def sort_rows(session, folder: Path, problem: str, rows: int, progress: Progress) -> None:
    """Put a folder's rows in order of time, those of equal time in order of files and rows."""
    from pyspark.sql import functions as F

    frame, numbers, layouts = _read(session, folder, problem)
    (folder / _SORTED).mkdir()

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pydict({"rows": [_write(batches, layouts, folder / _SORTED)]})

    places = F.create_map([F.lit(one) for pair in numbers.items() for one in pair])
    order = (f"c{layouts.names.index(layouts.layout.time)}", "place", AT)
    ranges = frame.withColumn("place", places[F.shiftright(AT, ROW_BITS)])
    ranges = ranges.repartitionByRange(len(numbers), *order).sortWithinPartitions(*order)
    counts = run(session, ranges.mapInArrow(write, "rows bigint").collect, progress)
    written = sum(count.rows for count in counts)
    if written != rows:
        raise SjoinError(f"Spark sorted {written} of {rows} rows")
    for file in layouts.files:
        os.unlink(file.name)
    for path in sorted((folder / _SORTED).iterdir()):
        path.rename(folder / path.name)
    (folder / _SORTED).rmdir()


def distinct_keys(session, folder: Path, progress: Progress) -> int:
    """How many keys a folder's rows have."""
    frame, _, layouts = _read(session, folder, "joining")
    keys = frame.select(f"c{layouts.names.index(layouts.layout.key)}").distinct()
    return run(session, keys.count, progress)


def _read(session, folder: Path, problem: str) -> tuple:
    """All columns of a folder's files, which are alike."""
    recording = Recording(folder, None, None, Request(Columns(), problem=problem))
    layouts = find_layouts(recording)
    layouts = replace(layouts, names=tuple(layouts.files[0].schema.names))
    return *read_rows(session, recording, layouts), layouts


def _write(batches: Iterator[pa.RecordBatch], layouts: Layouts, folder: Path) -> int:
    """Write a range of time as one file; returns its number of rows."""
    from pyspark import TaskContext

    rows = 0

    def tables() -> Iterator[pa.Table]:
        nonlocal rows
        for batch in larger(batches):
            rows += batch.num_rows
            yield pa.Table.from_batches([as_stored(batch, 0, batch.num_rows, 0, layouts)])

    found = tables()
    first = next(found, None)
    if first is not None:
        path = folder / f"part-{TaskContext.get().partitionId():05}.parquet"
        write_tables(layouts.files[0].schema, _chain(first, found), path, layouts.metadata)
    return rows


def _chain(first: pa.Table, others: Iterator[pa.Table]) -> Iterator[pa.Table]:
    yield first
    yield from others
