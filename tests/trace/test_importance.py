"""Importance from tables and bins: what each tuple is worth, and from when on."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import streamjoin_core as sj

COLUMNS = {
    "time": [1, 2, 3, 4],
    "stream": ["R", "S", "R", "S"],
    "key": ["a", "b", "a", "c"],
    "sensor": [7, 8, 8, 9],
    "price": [0.5, 10.0, 99.0, 100.0],
    "importance": [9.0, 9.0, 9.0, 9.0],
}


def read(tmp_path, text, **options):
    (tmp_path / "table.csv").write_text(text)
    option = "importance_bins" if options.pop("bins", False) else "importance"
    table = pa.table(COLUMNS | options.pop("columns", {}))
    return sj.trace_from_table(table, **{option: tmp_path / "table.csv"}, **options)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("key,importance\na,1\nb,2.5\nc,0\n", [1, 2.5, 1, 0]),
        ("key,importance\nb,4\n*,1\n", [1, 4, 1, 1]),
        ("importance,sensor\n3,7\n2,8\n1,9\n", [3, 2, 2, 1]),
        ("stream,importance\nR,2\nS,5\n", [2, 5, 2, 5]),
        ("sensor,importance\n7.0,3\n8.5,9\n*,1\n", [3, 1, 1, 1]),
        ("\ufeffkey, importance\r\n*, 1\r\nunseen, 2\r\n", [1, 1, 1, 1]),
    ],
)
def test_by_value(tmp_path, text, expected):
    trace = read(tmp_path, text)
    assert trace.importance.tolist() == expected
    assert trace.redefinition is None
    assert trace.importance_origin == str(tmp_path / "table.csv")


def test_by_bins(tmp_path):
    trace = read(tmp_path, "price,importance\n0,1\n10,2\n100,5\n", bins=True)
    assert trace.importance.tolist() == [1, 2, 2, 5]
    trace = read(tmp_path, "sensor,importance\n-inf,3\n8.5,4\n", bins=True)
    assert trace.importance.tolist() == [3, 3, 3, 4]


def test_by_mapping():
    table = pa.table(COLUMNS)
    trace = sj.trace_from_table(table, importance={"a": 2, "*": 1})
    assert trace.importance.tolist() == [2, 1, 2, 1]


def test_redefined_by_time(tmp_path):
    text = "key,importance,from_time\na,1,\n*,2,\na,5,3\nc,7,9\n*,4,4\n"
    trace = read(tmp_path, text)
    assert trace.importance.tolist() == [1, 2, 5, 4]
    changes = trace.redefinition
    assert changes.starts.tolist() == [3, 4, 9]
    in_force = changes.table[:, changes.kind]
    assert in_force.tolist() == [[1, 2, 1, 2], [5, 2, 5, 2], [5, 4, 5, 4], [5, 4, 5, 7]]


def test_bins_redefined_by_time(tmp_path):
    text = "price,importance,from_time\n0,1,\n50,3,2\n0,2,4\n"
    trace = read(tmp_path, text, bins=True)
    assert trace.importance.tolist() == [1, 1, 3, 3]
    changes = trace.redefinition
    assert changes.table[:, changes.kind].tolist() == [[1, 1, 1, 1], [1, 1, 3, 3], [2, 2, 3, 3]]


def test_timestamps(tmp_path):
    times = pa.array([0, 10, 20, 30], pa.timestamp("s"))
    text = "key,importance,from_time\n*,1,\n*,2,1970-01-01T00:00:20\n"
    trace = read(tmp_path, text, columns={"time": times})
    assert trace.importance.tolist() == [1, 1, 2, 2]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1970-01-01T00:00:20Z", [1, 1, 2, 2]),
        ("1970-01-01 01:00:10+01:00", [1, 2, 2, 2]),
    ],
)
def test_timestamps_with_an_offset(tmp_path, recwarn, written, expected):
    times = pa.array([0, 10, 20, 30], pa.timestamp("s"))
    text = f"key,importance,from_time\n*,1,\n*,2,{written}\n"
    assert read(tmp_path, text, columns={"time": times}).importance.tolist() == expected
    assert not recwarn.list


@pytest.mark.parametrize("word", ["now", "today", "NaT"])
def test_a_time_is_a_date(tmp_path, word):
    """Numpy takes these words, too, but the first two differ from run to run."""
    times = pa.array([0, 10, 20, 30], pa.timestamp("s"))
    with pytest.raises(sj.InputError, match="need a timestamp such as"):
        read(tmp_path, f"key,importance,from_time\n*,1,{word}\n", columns={"time": times})


def test_from_files(tmp_path):
    pq.write_table(pa.table(COLUMNS), tmp_path / "trace.parquet")
    (tmp_path / "table.csv").write_text("sensor,importance\n*,2\n")
    trace = sj.read_trace(tmp_path / "trace.parquet", importance=tmp_path / "table.csv")
    assert trace.importance.tolist() == [2, 2, 2, 2]
    plain = sj.read_trace(tmp_path / "trace.parquet")
    assert plain.importance.tolist() == [9, 9, 9, 9]
    assert plain.attribute is None
    assert plain.fingerprint != trace.fingerprint


@pytest.mark.parametrize(
    ("text", "bins", "said"),
    [
        ("", False, "has the columns of nothing"),
        ("key,importance\n", False, "has no lines"),
        ("key,sensor,importance\na,1,2\n", False, "has the columns"),
        ("key,importance\na\n", False, "line 2 has not as many cells"),
        ("key,importance\na,-1\n", False, "line 2: importance is '-1'"),
        ("key,importance\na,nan\n", False, "importance is 'nan'"),
        ("key,importance\na,1\nb,1\n", False, "gives key 'c' no importance at time 4 (row 3)"),
        ("key,importance,from_time\n*,1,2\n", False, "no importance at time 1 (row 0)"),
        ("key,importance,from_time\n*,1,noon\n", False, "this trace's times need an integer"),
        ("key,importance\na,1\na,2\n", False, "defines 'a' again"),
        ("colour,importance\nred,1\n", False, "has no column 'colour'"),
        ("sensor,importance\nx,1\n", False, "this trace has numbers there"),
        ("key,importance\n0,1\n", True, "bins need numbers"),
        ("price,importance\n1,1\n", True, "gives price 0.5 no importance"),
        ("price,importance\n1,1\n", True, "from -inf on"),
        ("price,importance\n-inf,1\nnan,2\n", True, "price is 'nan', but"),
        (f"key,importance,from_time\n*,1,\na,2,{2**63}\n", False, "times need an integer"),
    ],
)
def test_bad_tables(tmp_path, text, bins, said):
    with pytest.raises(sj.InputError) as error:
        read(tmp_path, text, bins=bins)
    assert said in str(error.value)


def test_bad_options(tmp_path):
    with pytest.raises(sj.InputError, match="leave one of the two out"):
        sj.trace_from_table(pa.table(COLUMNS), importance={"*": 1}, importance_bins={0: 1})
    with pytest.raises(sj.InputError, match="cannot read"):
        sj.read_trace(tmp_path / "trace.parquet", importance=tmp_path / "none.csv")
    (tmp_path / "table.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(sj.InputError, match="no CSV file in UTF-8"):
        sj.read_trace(tmp_path / "trace.parquet", importance=tmp_path / "table.csv")
