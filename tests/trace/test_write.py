"""Writing: what is read back equals what was written, and nothing half-written stays."""

import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streamjoin_core.errors import InputError
from streamjoin_core.files import atomic_path
from streamjoin_core.trace import read_trace, trace_from_arrays, write_trace

KEYS = st.sampled_from([[3, 2**60, -1], ["b", "a", "é"], [0.5, -1.0, 1e300]])
LABELS = st.sampled_from([["R", "S"], [2, 10], [False, True], ["only", "only"]])
UNITS = st.sampled_from([None, "s", "ms", "us", "ns"])
ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1), st.integers(0, 2)), max_size=12)


def assert_equal_traces(one, other):
    for name in ("time", "stream", "key", "key_values", "importance", "value"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name in ("labels", "time_unit", "metadata", "fingerprint"):
        assert getattr(one, name) == getattr(other, name)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)
@given(rows=ROWS, keys=KEYS, labels=LABELS, unit=UNITS, extras=st.booleans())
def test_round_trip(tmp_path, rows, keys, labels, unit, extras):
    rows.sort(key=lambda row: row[0])
    count = len(rows)
    trace = trace_from_arrays(
        np.array([time for time, _, _ in rows], np.int64),
        pa.array([keys[key] for _, _, key in rows], pa.array(keys).type),
        pa.array([labels[stream] for _, stream, _ in rows], pa.array(labels).type),
        importance=np.arange(count, dtype=float) if extras else None,
        value=np.full(count, np.nan) if extras else None,
        metadata={"seed": 1, "labels": ["é"]},
        time_unit=unit,
    )
    path = tmp_path / "trace.parquet"
    write_trace(trace, path)
    assert_equal_traces(read_trace(path), trace)
    assert os.listdir(tmp_path) == ["trace.parquet"]


def test_row_groups_are_bounded_and_compressed(tmp_path):
    rows = (1 << 20) + 5
    trace = trace_from_arrays(np.arange(rows), np.arange(rows) % 3)
    path = tmp_path / "trace.parquet"
    write_trace(trace, path, {"made": "by test"})
    written = pq.read_metadata(path)
    assert [written.row_group(group).num_rows for group in range(2)] == [1 << 20, 5]
    assert written.row_group(0).column(0).compression == "ZSTD"
    assert written.metadata[b"sjoin"] == b'{"made": "by test"}'
    assert read_trace(path, problem="caching").fingerprint == trace.fingerprint


def test_table_keeps_its_columns(tmp_path):
    table = pa.table({"time": [1], "stream": ["a"], "key": [1], "tenant": ["t"]})
    write_trace(table, tmp_path / "trace.parquet", {"seed": 3})
    trace = read_trace(tmp_path / "trace.parquet", group_by="tenant")
    assert (trace.group_labels, trace.metadata) == (("t",), {"seed": 3})


def test_same_trace_same_bytes(tmp_path):
    trace = trace_from_arrays([1, 2], ["x", "y"], ["R", "S"])
    for name in ("a", "b"):
        write_trace(trace, tmp_path / name, {"seed": 1})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_failed_writing_leaves_the_old_file_alone(tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("old")

    def stop_halfway():
        with atomic_path(target) as temporary:
            assert temporary.suffix == ".txt"
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop_halfway()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_links_are_followed_and_devices_stay(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with atomic_path(tmp_path / "link") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "real").read_text() == "new"
    assert (tmp_path / "link").is_symlink()
    with atomic_path(os.devnull) as path:
        assert str(path) == os.devnull


@pytest.mark.parametrize("where", ["missing/out.parquet", ".", "file/out.parquet"])
def test_places_that_cannot_be_written(tmp_path, where):
    (tmp_path / "file").write_text("")
    path = tmp_path / where
    with pytest.raises(InputError, match="cannot write") as refusal:
        write_trace(trace_from_arrays([1], [1]), path)
    assert str(path) in str(refusal.value)
    assert os.listdir(tmp_path) == ["file"]


def test_unwritable_types_are_refused(tmp_path):
    union = pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])])
    with pytest.raises(InputError, match="as Parquet"):
        write_trace(pa.table({"time": union}), tmp_path / "out.parquet")
    assert os.listdir(tmp_path) == []
