"""Small Parquet files for the trace tests."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def parquet(tmp_path):
    """Write columns as a Parquet file in the test's folder; returns its path."""

    def write(columns, name="trace.parquet", **options):
        table = columns if isinstance(columns, pa.Table) else pa.table(columns)
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        pq.write_table(table, path, **options)
        return path

    return write
