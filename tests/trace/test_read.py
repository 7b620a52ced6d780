"""From Parquet files and folders, tables and arrays to traces."""

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streamjoin_core.trace import Columns, read_trace, trace_from_arrays, trace_from_table

PLAIN = {"time": [1, 1, 2], "stream": ["S", "R", "R"], "key": [30, 10, 30]}


def test_file_becomes_columns(parquet):
    trace = read_trace(parquet(PLAIN | {"importance": [1, 0, 3], "value": [None, 2.5, 3.5]}))
    assert trace.time.tolist() == [1, 1, 2]
    assert trace.stream.tolist() == [1, 0, 0]
    assert trace.labels == ("R", "S")
    assert trace.key.tolist() == [1, 0, 1]
    assert trace.key_values.tolist() == [10, 30]
    assert trace.importance.tolist() == [1.0, 0.0, 3.0]
    np.testing.assert_array_equal(trace.value, [np.nan, 2.5, 3.5])
    assert [trace.time.dtype, trace.stream.dtype, trace.key.dtype] == ["int64", "uint8", "int32"]
    assert trace.group is None
    assert trace.time_unit is None


def test_optional_columns_may_be_missing_and_others_are_not_read(parquet):
    trace = read_trace(parquet(PLAIN | {"note": [[1], [2], [3]]}))
    assert trace.importance is None
    assert trace.value is None


def test_columns_are_mapped(parquet):
    path = parquet({"t": [1, 2], "s": ["a", "b"], "k": [1, 1], "w": [2, 3], "v": [4, 5]})
    trace = read_trace(path, columns=Columns("t", "s", "k", "w", "v"))
    assert (trace.importance.tolist(), trace.value.tolist()) == ([2, 3], [4, 5])


@pytest.mark.parametrize("rows", [0, 1, 7])
def test_row_groups_and_files_make_no_difference(parquet, tmp_path, rows):
    table = pa.table(
        {
            "time": pa.array(range(rows), pa.int64()),
            "stream": pa.array(["b" if row % 3 else "a" for row in range(rows)], pa.string()),
            "key": pa.array([f"k{row % 2}" for row in range(rows)], pa.string()),
            "importance": pa.array([float(row) for row in range(rows)]),
        }
    )
    one = read_trace(parquet(table, row_group_size=2))
    for start in range(0, max(rows, 1), 3):
        parquet(table.slice(start, 3), f"folder/part-{start}.parquet")
    (tmp_path / "folder" / "_SUCCESS").write_text("")
    (tmp_path / "folder" / ".part.crc").write_text("x")
    folder = read_trace(tmp_path / "folder")
    memory = trace_from_table(table)
    arrays = trace_from_arrays(*(table[name].to_numpy() for name in ("time", "key", "stream")))
    assert {len(one), len(folder), len(memory), len(arrays)} == {rows}
    assert one.fingerprint == folder.fingerprint == memory.fingerprint
    np.testing.assert_array_equal(one.key, arrays.key)
    np.testing.assert_array_equal(one.time, arrays.time)


def test_folder_order_is_file_name_then_row(parquet, tmp_path):
    parquet({"time": [3, 3], "stream": ["a", "b"], "key": [3, 4]}, "folder/b.parquet")
    parquet({"time": [1, 3], "stream": ["a", "b"], "key": [1, 2]}, "folder/a.parquet")
    assert read_trace(tmp_path / "folder").key_values.tolist() == [1, 2, 3, 4]
    assert read_trace(tmp_path / "folder").key.tolist() == [0, 1, 2, 3]


def test_no_rows_are_a_trace(parquet):
    path = parquet(
        {"time": pa.array([], pa.int64()), "stream": pa.array([], pa.string()), "key": []}
    )
    trace = read_trace(path, sort=True)
    assert len(trace) == 0
    assert trace.labels == ()
    assert len(trace.key_values) == 0


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["b", "a"], ("a", "b")),
        (["only", "only"], ("only",)),
        ([10, 9], (9, 10)),
        ([True, False], (False, True)),
        (["10", "9"], ("10", "9")),
        (["é", "z"], ("z", "é")),
    ],
)
def test_first_label_in_sort_order_is_left(labels, expected):
    trace = trace_from_arrays([1, 2], [1, 1], labels)
    assert trace.labels == expected
    assert trace.stream.tolist() == [expected.index(label) for label in labels]
    assert trace.labels == trace_from_arrays([1, 2], [1, 1], pa.array(labels)).labels


def test_labels_of_a_dictionary_that_do_not_occur_do_not_count():
    stream = pa.DictionaryArray.from_arrays(pa.array([2, 1]), pa.array(["a", "b", "c"]))
    assert trace_from_arrays([1, 2], [1, 1], stream).labels == ("b", "c")


def test_caching_needs_no_stream_column(parquet):
    trace = read_trace(parquet({"time": [1, 2], "key": [5, 5]}), problem="caching")
    assert trace.labels == ("R",)
    assert trace.stream.tolist() == [0, 0]
    assert trace_from_arrays([1, 2], [5, 5]).fingerprint == trace.fingerprint


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_timestamps_keep_their_unit(parquet, unit):
    times = pa.array([10, 20, 20], pa.timestamp(unit))
    trace = read_trace(parquet(PLAIN | {"time": times}))
    assert trace.time_unit == unit
    assert trace.time.tolist() == [10, 20, 20]
    from_table = trace_from_table(pa.table(PLAIN | {"time": times}))
    numbered = trace_from_arrays([10, 20, 20], PLAIN["key"], PLAIN["stream"], time_unit=unit)
    dated = trace_from_arrays(times.to_numpy(), PLAIN["key"], PLAIN["stream"])
    assert trace.fingerprint == from_table.fingerprint
    assert trace.fingerprint == numbered.fingerprint == dated.fingerprint


@pytest.mark.parametrize(
    ("type_", "stored", "unit", "expected"),
    [
        (pa.date32(), [1, 2, 2], "s", [86400, 172800, 172800]),
        (pa.date64(), [86_400_000, 172_800_000, 172_800_000], "s", [86400, 172800, 172800]),
        (pa.duration("ms"), [5, 6, 7], "ms", [5, 6, 7]),
        (pa.timestamp("us", "Europe/Berlin"), [5, 6, 7], "us", [5, 6, 7]),
        (pa.uint8(), [5, 6, 255], None, [5, 6, 255]),
        (pa.int16(), [-5, 6, 7], None, [-5, 6, 7]),
    ],
)
def test_time_types(parquet, type_, stored, unit, expected):
    times = pa.array(stored, pa.int64() if type_.bit_width == 64 else pa.int32())
    times = times.cast(type_) if pa.types.is_integer(type_) else times.view(type_)
    trace = read_trace(parquet(PLAIN | {"time": times}))
    assert trace.time_unit == unit
    assert trace.time.tolist() == expected


def test_finest_unit_of_a_folder_wins(parquet, tmp_path):
    for name, unit, time in (("a", "ms", 1), ("b", "us", 2000)):
        times = pa.array([time], pa.timestamp(unit))
        parquet({"time": times, "stream": ["a"], "key": [1]}, f"folder/{name}")
    trace = read_trace(tmp_path / "folder")
    assert (trace.time_unit, trace.time.tolist()) == ("us", [1000, 2000])


def test_sort_is_stable(parquet):
    path = parquet({"time": [5, 1, 5, 1], "stream": list("abab"), "key": [0, 1, 2, 3]})
    trace = read_trace(path, sort=True)
    assert trace.time.tolist() == [1, 1, 5, 5]
    assert trace.key.tolist() == [1, 3, 0, 2]
    assert trace.stream.tolist() == [1, 1, 0, 0]


def test_two_files_merge_by_time_left_first(parquet):
    left = parquet({"time": [1, 3, 3], "key": [10, 11, 12], "value": [0, 1, 2]}, "l.parquet")
    right = parquet({"time": [1, 2, 3], "key": [20, 21, 10], "value": [3, 4, 5]}, "r.parquet")
    trace = read_trace(left=left, right=right, group_by="stream")
    assert trace.labels == ("left", "right")
    assert trace.time.tolist() == [1, 1, 2, 3, 3, 3]
    assert trace.stream.tolist() == [0, 1, 1, 0, 0, 1]
    assert trace.key_values[trace.key].tolist() == [10, 20, 21, 11, 12, 10]
    assert trace.value.tolist() == [0, 3, 4, 1, 2, 5]
    assert (trace.group.tolist(), trace.group_labels) == ([0, 1, 1, 0, 0, 1], ("left", "right"))


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None
)
@given(st.lists(st.integers(0, 5)), st.lists(st.integers(0, 5)))
def test_merging_is_sorting_left_before_right(parquet, left, right):
    columns = [
        {
            "time": pa.array(sorted(times), pa.int64()),
            "key": pa.array(range(len(times)), pa.int64()),
        }
        for times in (left, right)
    ]
    trace = read_trace(left=parquet(columns[0], "l"), right=parquet(columns[1], "r"))
    expected = sorted(
        [(time, 0, key) for key, time in enumerate(sorted(left))]
        + [(time, 1, key) for key, time in enumerate(sorted(right))]
    )
    if not left:  # a label that does not occur does not count
        expected = [(time, 0, key) for time, _, key in expected]
    keys = trace.key_values[trace.key].tolist()
    assert list(zip(trace.time.tolist(), trace.stream.tolist(), keys, strict=True)) == expected


@pytest.mark.parametrize(
    ("column", "ids", "labels"),
    [
        (["x", "y", "x"], [0, 1, 0], ("x", "y")),
        ([7, -7, 7], [1, 0, 1], (-7, 7)),
        ([0.5, 0.25, 0.5], [1, 0, 1], (0.25, 0.5)),
        ([True, False, True], [1, 0, 1], ("false", "true")),
    ],
)
def test_groups(parquet, column, ids, labels):
    trace = read_trace(parquet(PLAIN | {"tenant": column}), group_by="tenant")
    assert trace.group.tolist() == ids
    assert trace.group_labels == labels
    assert trace.group.dtype == np.int32


@pytest.mark.parametrize(("name", "labels"), [("key", (10, 30)), ("stream", ("R", "S"))])
def test_group_by_a_column_that_is_read_anyway(parquet, name, labels):
    assert read_trace(parquet(PLAIN), group_by=name).group_labels == labels


@pytest.mark.parametrize(
    ("stored", "expected"),
    [(b'{"seed": 7}', {"seed": 7}), (b"{oops", {}), (b"[1]", {}), (b"\xff", {}), (None, {})],
)
def test_metadata(parquet, stored, expected):
    table = pa.table(PLAIN).replace_schema_metadata(stored and {b"sjoin": stored})
    assert read_trace(parquet(table)).metadata == expected
    assert trace_from_table(table).metadata == expected


def test_progress_ends_at_all_rows(parquet):
    calls = []
    path = parquet(PLAIN, row_group_size=1)
    read_trace(path, progress=lambda *call: calls.append(call))
    assert calls == [("reading", 1, 3), ("reading", 2, 3), ("reading", 3, 3)]


def test_reading_a_small_trace_does_not_load_numba(parquet):
    path = parquet(PLAIN)
    code = (
        "import sys; from streamjoin_core.trace import read_trace; "
        f"print(len(read_trace({str(path)!r})), *{{'numba', 'pandas'}} & {{*sys.modules}})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["3"]


def test_one_huge_row_group_needs_no_more_memory_than_many(tmp_path):
    rows = 4_000_000
    table = pa.table(
        {
            "time": np.arange(rows),
            "stream": pa.DictionaryArray.from_arrays(np.arange(rows) % 2, ["R", "S"]),
            "key": np.random.default_rng(0).integers(0, 2**40, rows) % 1000,
        }
    )
    code = (
        "import json, resource, sys; import streamjoin_core.trace.keytable; "
        "from streamjoin_core.trace import read_trace, trace_from_arrays; import pyarrow.compute; "
        "size = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024; "
        "read_trace(sys.argv[1]); before = size(); read_trace(sys.argv[2]); "
        "print(json.dumps([before, size()]))"
    )
    small, big = tmp_path / "small.parquet", tmp_path / "big.parquet"
    pq.write_table(table.slice(0, 300_000), small)
    pq.write_table(table, big, row_group_size=rows)
    command = [sys.executable, "-c", code, str(small), str(big)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    before, after = json.loads(done.stdout)
    assert after - before < 1.5 * 13 * rows + 30e6
