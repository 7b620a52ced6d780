"""Bad input: one sentence that names file, column and row, and the way out."""

import os
import re

import numpy as np
import pyarrow as pa
import pytest

from streamjoin_core.errors import InputError
from streamjoin_core.trace import Columns, read_trace, trace_from_arrays, trace_from_table
from streamjoin_core.trace import build as build_module

GOOD = {"time": [1, 2, 3, 4], "stream": ["R", "S", "R", "S"], "key": [1, 2, 3, 4]}
NAN = float("nan")
INF = float("inf")


def refusal(call, *args, **options):
    with pytest.raises(InputError) as caught:
        call(*args, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


BAD_CELLS = {
    "null time": ({"time": [1, 2, None, 4]}, "'time', row 2 .* is null"),
    "time beyond int64": (
        {"time": pa.array([1, 2, 3, 2**63], pa.uint64())},
        "'time', row 3 .* 9223372036854775808",
    ),
    "time going back": ({"time": [1, 5, 4, 6]}, "'time', row 2 .* from 5 to 4.*--sort"),
    "timestamp going back": (
        {"time": pa.array([1, 0, 3, 4], pa.timestamp("s"))},
        "row 1 .* from 1970-01-01T00:00:01 to 1970-01-01T00:00:00.*--sort",
    ),
    "time too long": ({"time": [-(2**62), 0, 0, 2**62]}, "'time' runs from .*coarser unit"),
    "null key": ({"key": [1, 2, 3, None]}, "'key', row 3 .* is null.*--null-keys drop"),
    "null string key": ({"key": ["a", None, "b", "c"]}, "'key', row 1 .* is null"),
    "NaN key": ({"key": [1.0, NAN, 3.0, 4.0]}, "'key', row 1 .* is NaN"),
    "key beyond int64": (
        {"key": pa.array([1, 2**64 - 1, 3, 4], pa.uint64())},
        "'key', row 1 .* 18446744073709551615",
    ),
    "null stream": ({"stream": ["R", None, "R", "S"]}, "'stream', row 1 .* is null"),
    "third label": (
        {"stream": ["B", "A", "C", "A"]},
        "'stream', row 2 .* is 'C' after 'B' and 'A'.*two streams",
    ),
    "third number": ({"stream": [3, 2, 3, 1]}, "'stream', row 3 .* is 1 after 3 and 2"),
    "null importance": ({"importance": [1, None, 1, 1]}, "'importance', row 1 .* is null"),
    "NaN importance": ({"importance": [1, NAN, 1, 1]}, "'importance', row 1 .* is NaN"),
    "negative importance": ({"importance": [0, 0, 0, -1]}, r"'importance', row 3 .* is -1\.0"),
    "infinite importance": ({"importance": [INF, 0, 0, 0]}, "'importance', row 0 .* is inf"),
}


@pytest.mark.parametrize(("change", "expected"), BAD_CELLS.values(), ids=BAD_CELLS)
@pytest.mark.parametrize("row_group_size", [1, 100])
def test_bad_cells(parquet, change, expected, row_group_size):
    path = parquet(GOOD | change, row_group_size=row_group_size)
    message = refusal(read_trace, path)
    assert message.startswith(str(path))
    assert re.search(expected, message)
    assert re.search(expected, refusal(trace_from_table, pa.table(GOOD | change)))


def test_null_in_a_dictionary():
    """Arrow does not write such a column as Parquet, but a table may have it."""
    key = pa.DictionaryArray.from_arrays([0, 0, 1, 0], pa.array(["a", None]))
    assert "'key', row 2 (counted from 0) is null" in refusal(
        trace_from_table, pa.table(GOOD | {"key": key})
    )


BAD_TYPES = {
    "double time": ({"time": [1.0, 2.0, 3.0, 4.0]}, "'time' is of type double.*sjoin ingest"),
    "string time": ({"time": list("abcd")}, "'time' is of type string.*sjoin ingest"),
    "bool key": ({"key": [True] * 4}, "'key' is of type bool.*cast"),
    "decimal key": (
        {"key": pa.array([1, 2, 3, 4], pa.decimal128(9, 2))},
        "'key' is of type decimal.*cast",
    ),
    "list key": ({"key": [[1]] * 4}, "'key' is of type list.*--key-col"),
    "binary key": ({"key": [b"x"] * 4}, "'key' is of type binary.*cast"),
    "double stream": ({"stream": [1.0] * 4}, "'stream' is of type double.*--stream-col"),
    "string importance": ({"importance": list("abcd")}, "'importance' is of type string"),
    "bool value": ({"value": [True] * 4}, "'value' is of type bool"),
}


@pytest.mark.parametrize(("change", "expected"), BAD_TYPES.values(), ids=BAD_TYPES)
def test_bad_types(parquet, change, expected):
    path = parquet(GOOD | change)
    message = refusal(read_trace, path)
    assert message.startswith(str(path))
    assert re.search(expected, message)


@pytest.mark.parametrize("name", ["time", "stream", "key"])
def test_missing_column_lists_what_is_there(parquet, name):
    path = parquet({other: GOOD[other] for other in GOOD if other != name} | {"x": [1] * 4})
    message = refusal(read_trace, path)
    assert f"no column {name!r}" in message
    assert f"--{name}-col" in message
    assert "'x'" in message


@pytest.mark.parametrize("name", ["importance", "value"])
def test_mapped_column_must_be_there(parquet, name):
    message = refusal(read_trace, parquet(GOOD), columns=Columns(**{name: "weight"}))
    assert "no column 'weight'" in message
    assert "'time', 'stream', 'key'" in message


def test_group_column_must_be_there_and_filled(parquet):
    path = parquet(GOOD | {"tenant": ["a", "b", None, "d"], "nested": [[1]] * 4})
    assert "--group-by" in refusal(read_trace, path, group_by="team")
    assert "'tenant', row 2" in refusal(read_trace, path, group_by="tenant")
    assert "'nested' is of type list" in refusal(read_trace, path, group_by="nested")


def test_two_columns_of_one_name():
    table = pa.table([[1], ["R"], [1], [2]], names=["time", "stream", "key", "key"])
    assert "2 columns named 'key'" in refusal(trace_from_table, table)


@pytest.mark.parametrize(
    "key",
    [[None, 2, None, 1], ["b", None, None, "a"], [None, NAN, 2.0, 1.0]],
    ids=["integer", "string", "double"],
)
def test_null_keys_can_be_dropped(parquet, key):
    columns = {"time": [9, 9, 9, 9], "stream": ["R", "R", "R", "S"], "key": key}
    trace = read_trace(parquet(columns), null_keys="drop")
    assert len(trace) == 2
    assert trace.key.tolist() == [1, 0]
    assert len(trace.time) == len(trace.stream) == 2


def test_rows_in_messages_are_those_of_the_file_after_dropping(parquet):
    path = parquet({"time": [1, None, 5, 4], "stream": list("RRSS"), "key": [1, None, 1, 1]})
    assert "row 3 " in refusal(read_trace, path, null_keys="drop")


def test_row_of_a_folder_names_the_file(parquet, tmp_path):
    parquet(GOOD, "folder/a.parquet")
    second = parquet(GOOD | {"time": [4, 4, 5, 3]}, "folder/b.parquet")
    assert refusal(read_trace, tmp_path / "folder").startswith(f"{second}: column 'time', row 3 ")
    third = parquet(GOOD, "folder/aa.parquet")
    assert refusal(read_trace, tmp_path / "folder").startswith(f"{third}: column 'time', row 0 ")
    assert len(read_trace(tmp_path / "folder", sort=True)) == 12


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"key": ["a"] * 4}, ["'key'", "integer", "string", "one type"]),
        ({"key": [1.0] * 4}, ["'key'", "integer", "double"]),
        ({"stream": [1, 2, 1, 2]}, ["'stream'", "string", "integer"]),
        ({"time": pa.array([5, 6, 7, 8], pa.timestamp("s"))}, ["integers", "timestamps"]),
        ({"importance": [1] * 4}, ["no column 'importance'"]),
    ],
)
def test_files_that_do_not_go_together(parquet, tmp_path, change, words):
    parquet(GOOD, "folder/a.parquet")
    parquet(GOOD | {"time": [5, 6, 7, 8]} | change, "folder/b.parquet")
    message = refusal(read_trace, tmp_path / "folder")
    assert all(word in message for word in words)


def test_files_that_are_not_parquet(parquet, tmp_path):
    whole = parquet(GOOD).read_bytes()
    bad = tmp_path / "bad.parquet"
    for content in (b"", b"time,key\n1,2\n", whole[:-30], whole[: len(whole) // 2], whole[:4]):
        bad.write_bytes(content)
        message = refusal(read_trace, bad)
        assert message.startswith(f"{bad} is not a Parquet file, or it is truncated")


def test_broken_pages_are_refused(parquet, tmp_path):
    whole = bytearray(parquet(GOOD, compression="zstd").read_bytes())
    whole[4:60] = b"\xff" * 56
    (tmp_path / "bad.parquet").write_bytes(whole)
    refusal(read_trace, tmp_path / "bad.parquet")


def test_text_that_is_not_utf8(parquet):
    offsets = pa.py_buffer(np.arange(5, dtype=np.int32))
    broken = pa.Array.from_buffers(pa.string(), 4, [None, offsets, pa.py_buffer(b"a\xffbc")])
    for name in ("key", "stream"):
        message = refusal(trace_from_table, pa.table(GOOD | {name: broken}))
        assert "not valid UTF-8" in message


def test_missing_files_and_empty_folders(tmp_path):
    missing = tmp_path / "nowhere.parquet"
    assert refusal(read_trace, missing) == f"cannot read {missing}: No such file or directory"
    assert "without Parquet files" in refusal(read_trace, tmp_path)
    (tmp_path / "day=1").mkdir()
    assert "'day=1'" in refusal(read_trace, tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(parquet):
    path = parquet(GOOD)
    path.chmod(0)
    assert "Permission denied" in refusal(read_trace, path)


def test_either_one_trace_or_two(parquet):
    path = parquet(GOOD)
    for chosen in ({}, {"left": path}, {"path": path, "right": path}):
        assert "either one trace" in refusal(read_trace, **chosen)
    assert "one stream" in refusal(read_trace, left=path, right=path, problem="caching")


def test_two_files_are_checked_one_by_one(parquet):
    left = parquet(GOOD, "l.parquet")
    right = parquet(GOOD | {"time": [1, 2, 1, 2]}, "r.parquet")
    assert refusal(read_trace, left=left, right=right).startswith(f"{right}: column 'time', row 2")
    columns = Columns(key="stream")
    assert "two roles" in refusal(read_trace, left=left, right=left, columns=columns)


def test_caching_takes_one_label(parquet):
    message = refusal(read_trace, parquet(GOOD), problem="caching")
    assert re.search("row 1 .* is 'S' after 'R', but caching has one stream", message)


def test_too_many_rows(parquet, monkeypatch):
    monkeypatch.setattr(build_module, "_MOST_ROWS", 3)
    assert "has 4 rows" in refusal(read_trace, parquet(GOOD))


def test_unknown_options(parquet):
    assert "error or drop" in refusal(read_trace, parquet(GOOD), null_keys="keep")
    assert "joining or caching" in refusal(read_trace, parquet(GOOD), problem="sorting")


@pytest.mark.parametrize(
    ("time", "key", "options", "words"),
    [
        ([1, 2], [1], {}, "key has 1 rows and time 2"),
        ([1], [[1, 2]], {}, "list"),
        ([1], np.zeros((1, 1)), {}, "key is not a column"),
        ([1, 2], [1, "a"], {}, "key is not a column"),
        ([1], [2**70], {}, "key is not a column"),
        ([1], ["\ud800"], {}, "key is not a column"),
        ([1], 5, {}, "key is not a column"),
        ([1], [1], {"time_unit": "h"}, "choose s, ms, us or ns"),
        (np.array([1], "datetime64[ms]"), [1], {"time_unit": "s"}, "not in s"),
        (np.array([2**63], np.uint64), [1], {"time_unit": "s"}, "'time', row 0"),
        (np.array(["NaT"], "datetime64[s]"), [1], {}, "'time', row 0"),
    ],
)
def test_bad_arrays(time, key, options, words):
    assert re.search(words, refusal(trace_from_arrays, time, key, **options))
