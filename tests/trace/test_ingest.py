"""Ingest: what any raw format holds is what the trace holds."""

import csv
import gzip
import json
import struct
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather, ipc

from streamjoin_core.trace import Columns, read_trace
from streamjoin_core.trace.ingest import formats, ingest
from streamjoin_core.trace.ingest.formats import csv as csv_format
from streamjoin_core.trace.ingest.formats import json_lines

DATA = Path(__file__).parents[2].parent / "shared" / "data"


def write_csv(table: pa.Table, path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.column_names)
        writer.writerows(zip(*table.to_pydict().values(), strict=True))


def write_json(table: pa.Table, path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


def write_stream(table: pa.Table, path: Path) -> None:
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


def write_gzip(table: pa.Table, path: Path) -> None:
    write_csv(table, path)
    path.write_bytes(gzip.compress(path.read_bytes()))


WRITERS = {
    "raw.csv": write_csv,
    "raw.csv.gz": write_gzip,
    "raw.jsonl": write_json,
    "raw.parquet": pq.write_table,
    "raw.feather": feather.write_feather,
    "raw.arrows": write_stream,
}
KEYS = {
    "string": ["b", "a", "é,\n", "b"],
    "id with zeros": ["007", "7", "07", "7"],
    "integer": [2**53 + 1, 2**53, -(2**63), 2**63 - 1],
    "double": [0.1, -1.5, 1e300, 0.1],
}


def written_keys(path: Path, **options) -> list:
    trace = read_trace(path, **options)
    return trace.key_values[trace.key].tolist()


@pytest.fixture
def raw(tmp_path):
    """Write text, bytes or rows as a raw file."""

    def write(content, name="raw.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def out(tmp_path):
    return tmp_path / "trace.parquet"


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_round_trip(tmp_path, out, name, keys):
    table = pa.table(
        {
            "at": [3, 1, 2, 1],
            "side": ["S", "R", "R", "S"],
            "id": keys,
            "weight": [1.0, 2.5, 0.0, 4.0],
            "value": [1.0, None, 3.0, 4.0],
        }
    )
    WRITERS[name](table, tmp_path / name)
    columns = Columns("at", "side", "id", "weight")
    summary = ingest(tmp_path / name, output=out, columns=columns)
    trace = read_trace(out)
    assert trace.time.tolist() == [1, 1, 2, 3]
    assert [trace.labels[stream] for stream in trace.stream] == ["R", "S", "R", "S"]
    assert trace.key_values[trace.key].tolist() == [keys[1], keys[3], keys[2], keys[0]]
    assert trace.importance.tolist() == [2.5, 4.0, 0.0, 1.0]
    np.testing.assert_array_equal(trace.value, [np.nan, 4.0, 3.0, 1.0])
    roles = {"time": "at", "stream": "side", "key": "id", "importance": "weight", "value": "value"}
    assert summary["columns"] == roles
    assert (summary["rows"], summary["dropped"], summary["sorted"]) == (4, 0, True)
    assert trace.metadata["ingested"] == {
        "format": summary["format"],
        "columns": roles,
        "keep": [],
    }


def test_integers_beyond_int64_stay_apart(tmp_path, out):
    keys = [2**63, 2**63 + 1, 5, 10**30]
    columns = {"time": [1, 1, 1, 1], "stream": ["R"] * 4, "key": keys}
    for name in ("raw.csv", "raw.jsonl"):
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        if name == "raw.csv":
            lines = [",".join(columns), *(",".join(map(str, row.values())) for row in rows)]
        else:
            lines = [json.dumps(row) for row in rows]
        (tmp_path / name).write_text("\n".join(lines))
        ingest(tmp_path / name, output=out)
        assert written_keys(out) == [str(key) for key in keys]
    wide = pa.table(columns | {"key": pa.array([2**63, 2**64 - 1, 5, 0], pa.uint64())})
    pq.write_table(wide, tmp_path / "raw.parquet")
    ingest(tmp_path / "raw.parquet", output=out)
    assert written_keys(out) == [str(2**63), str(2**64 - 1), "5", "0"]


@pytest.mark.parametrize(
    ("cells", "keys"),
    [
        (["5", " 6 "], [5, 6]),
        (["0", "-0"], [0.0, 0.0]),
        (["1", "2.5", "1e-05"], [1.0, 2.5, 1e-05]),
        (["12e4", "120e3"], ["12e4", "120e3"]),
        (["9007199254740993", "0.5"], ["9007199254740993", "0.5"]),
        (["0x1F", "31"], ["0x1F", "31"]),
        (["1", "NA", ""], [1]),
        (["a", "NA", ""], ["a", "NA"]),
        (["true", "false"], ["true", "false"]),
        (["2024-01-01", "2024-01-02"], ["2024-01-01", "2024-01-02"]),
    ],
)
def test_meaning_of_text(raw, out, cells, keys):
    rows = "".join(f"{row},{cell}\n" for row, cell in enumerate(cells))
    ingest(raw("time,key\n" + rows), output=out, null_keys="drop")
    assert written_keys(out, problem="caching") == keys


def test_type_shows_only_at_the_end(raw, out, monkeypatch):
    monkeypatch.setattr(csv_format, "_BLOCK_BYTES", 64)
    monkeypatch.setattr(json_lines, "_BLOCK_BYTES", 64)
    ids = [2**53 + 1, *range(99)]
    last = {"0.5": [str(key) for key in ids] + ["0.5"], "x": [str(key) for key in ids] + ["x"]}
    for cell, keys in last.items():
        rows = "".join(f"{row},{key}\n" for row, key in enumerate([*ids, cell]))
        ingest(raw("time,key\n" + rows), output=out)
        assert written_keys(out, problem="caching") == keys
    lines = [
        json.dumps({"time": row, "key": row, "noise": [row, "x"][row % 2]}) for row in range(9)
    ]
    lines.append('{"time": 9, "key": 0.5}')
    ingest(raw("\n".join(lines), "raw.jsonl"), output=out)
    assert written_keys(out, problem="caching") == [*map(float, range(9)), 0.5]


def test_two_files_of_different_formats(raw, out):
    left = raw("time,key\n2024-01-01,1\n2024-01-03,2\n", "l.csv")
    right = raw('{"time": "2024-01-01T00:00:00.5", "key": 1}\n', "r.jsonl")
    summary = ingest(left=left, right=right, output=out)
    trace = read_trace(out)
    assert trace.labels == ("left", "right")
    assert trace.stream.tolist() == [0, 1, 0]
    assert trace.time_unit == "ms"
    assert summary["format"] == "csv + json"
    assert "stream" not in summary["columns"]
    assert not summary["sorted"]


def test_two_files_share_their_types(raw, out):
    left, right = raw("time,key\n1,7\n", "l.csv"), raw("time,key\n1,x\n", "r.csv")
    ingest(left=left, right=right, output=out)
    assert written_keys(out) == ["7", "x"]


def test_no_header_and_row_numbers(raw, out):
    path = raw("a\tR\nb\tS\na\tS\n", "raw.tsv")
    summary = ingest(path, output=out, header=False, columns=Columns("row", "1", "0"))
    trace = read_trace(out)
    assert (trace.time.tolist(), trace.stream.tolist()) == ([0, 1, 2], [0, 1, 1])
    assert summary["columns"] == {"time": "row", "stream": "1", "key": "0"}
    ingest(raw("row;key\n9;1\n"), output=out, delimiter=";", columns=Columns("row"))
    assert read_trace(out, problem="caching").time.tolist() == [9]
    ingest(raw('{"key": 1}\n\n{"key": 2}\n', "raw.json"), output=out, columns=Columns("row"))
    assert read_trace(out, problem="caching").time.tolist() == [0, 1]


def test_blanks_and_quotes_and_byte_order_marks(raw, out):
    path = raw('\ufefftime, key,stream\r\n1, 5,"R"\r\n2, 6,"S"\r\n')
    ingest(path, output=out)
    assert written_keys(out) == [5, 6]


def test_kept_columns_follow_their_rows(raw, out):
    rows = "3,1,a,01\n1,,b,02\n2,2,a,03\n1,3,c,04\n"
    path = raw("time,key,tenant,zone\n" + rows)
    summary = ingest(path, output=out, keep=["tenant", "zone"], null_keys="drop")
    table = pq.read_table(out)
    assert table["tenant"].to_pylist() == ["c", "a", "a"]
    assert table["zone"].to_pylist() == ["04", "03", "01"]
    assert table["key"].to_pylist() == [3, 2, 1]
    assert (summary["rows"], summary["dropped"], summary["keep"]) == (3, 1, ["tenant", "zone"])
    trace = read_trace(out, problem="caching", group_by="zone")
    assert trace.group_labels == ("01", "03", "04")


@pytest.mark.parametrize("name", ["t.oracleGeneral", "t.oracleGeneral.bin", "t.oracleGeneral.gz"])
def test_oracle_general(raw, out, name):
    records = [(7, 2**64 - 1, 4096, 1), (7, 2**64 - 1, 4096, -1), (9, 2**63 - 1, 1, -1)]
    content = b"".join(struct.pack("<IQIq", *record) for record in records)
    path = raw(gzip.compress(content) if name.endswith("gz") else content, name)
    columns = Columns(value="size")
    summary = ingest(path, output=out, columns=columns, keep="next_access", time_unit="s")
    trace = read_trace(out, problem="caching", group_by="next_access")
    assert trace.key_values[trace.key].tolist() == [-1, -1, 2**63 - 1]
    assert trace.value.tolist() == [4096, 4096, 1]
    assert trace.group_labels == (-1, 1)
    assert (trace.time.tolist(), trace.time_unit) == ([7, 7, 9], "s")
    assert (summary["format"], summary["problem"]) == ("oracle-general", "caching")


def test_many_batches(tmp_path, out):
    rows = 300_000
    rng = np.random.default_rng(1)
    table = pa.table({"time": rng.integers(0, 99, rows), "key": rng.integers(0, 2**62, rows)})
    order = np.argsort(table["time"].to_numpy(), kind="stable")
    seen = []
    for name in ("raw.csv", "raw.jsonl", "raw.arrows", "raw.feather"):
        WRITERS[name](table, tmp_path / name)
        summary = ingest(tmp_path / name, output=out, progress=lambda *told: seen.append(told))
        trace = read_trace(out, problem="caching")
        np.testing.assert_array_equal(trace.key_values[trace.key], table["key"].to_numpy()[order])
        assert summary["sorted"]
    assert {what for what, _, _ in seen} == {"looking through", "reading"}
    assert seen[-1] == ("reading", rows, rows)


@pytest.mark.parametrize("content", ["time,key,stream\n", "time,key,stream\r\n\r\n"])
def test_no_rows(raw, out, content):
    assert ingest(raw(content), output=out)["rows"] == 0
    assert len(read_trace(out)) == 0


def test_same_file_same_bytes(raw, tmp_path):
    path = raw("time,key\n1,2\n")
    for name in ("a", "b"):
        ingest(path, output=tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_format_is_one_file():
    folder = Path(formats.__file__).parent
    files = {file.stem for file in folder.glob("*.py")} - {"__init__"}
    assert len(formats.formats()) == len(files)


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data sets are not on this machine")
def test_shared_data(out):
    summary = ingest(DATA / "cloudphysics_io.csv", output=out)
    assert (summary["rows"], summary["keys"]) == (113_872, 48_974)
    columns = Columns(time="Date", key="Temperature")
    summary = ingest(DATA / "melbourne_daily_max_1981_1990.csv", output=out, columns=columns)
    assert (summary["rows"], summary["keys"], summary["time_unit"]) == (3650, 309, "s")
    trace = read_trace(out, problem="caching")
    assert trace.key_values[trace.key[0]] == 38.1
    assert str(np.datetime64(int(trace.time[0]), "s")) == "1981-01-01T00:00:00"
