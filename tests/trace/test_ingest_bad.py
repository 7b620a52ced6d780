"""Ingest of bad input: one sentence that names the place and the way out, and no file left."""

import gzip
import os
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from streamjoin_core.errors import InputError
from streamjoin_core.trace import Columns
from streamjoin_core.trace.ingest import ingest
from streamjoin_core.trace.ingest.formats import csv as csv_format
from streamjoin_core.trace.ingest.formats import json_lines


@pytest.fixture
def refusal(tmp_path):
    """The sentence with which ingesting this content is refused; the file's name goes before."""

    def refuse(content, name="raw.csv", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        before = sorted(os.listdir(tmp_path))
        with pytest.raises(InputError) as caught:
            ingest(path, output=tmp_path / "trace.parquet", **options)
        assert sorted(os.listdir(tmp_path)) == before
        message = str(caught.value)
        assert "\n" not in message
        return message.replace(str(tmp_path) + os.sep, "")

    return refuse


CSV = {
    "no time": (
        "at,key\n1,2\n",
        {},
        "^raw.csv has no column 'time'.*--time-col .*'at', 'key'.*row",
    ),
    "no key": ("time,id\n1,2\n", {}, "^raw.csv has no column 'key'.*--key-col.*'time', 'id'"),
    "no stream": (
        "time,key\n1,2\n",
        {"problem": "joining"},
        "no column 'stream'.*--stream-col.*'time', 'key'.*--problem caching",
    ),
    "no named stream": (
        "time,key\n1,2\n",
        {"columns": Columns(stream="topic")},
        "no column 'topic'.*--stream-col",
    ),
    "no importance": (
        "time,key\n1,2\n",
        {"columns": Columns(importance="w")},
        "no column 'w' for the importance",
    ),
    "nothing to keep": ("time,key\n1,2\n", {"keep": ["a"]}, "no column 'a'.*--keep"),
    "kept twice": ("time,key,value\n1,2,3\n", {"keep": ["value"]}, "'value' cannot be kept"),
    "two of a name": ("time,key,key\n1,2,3\n", {}, "2 columns named 'key'"),
    "empty": ("", {}, "raw.csv is empty"),
    "short row": (
        "time,key\n1,2\n3\n",
        {},
        "row 1 .*has 1 cells and the first line 2.*--delimiter",
    ),
    "long row": ("1,2\n1,2,3\n", {"header": False}, "row 1 .*has 3 cells"),
    "null key": ("time,key\n1,2\n2,\n", {}, "'key', row 1 .* is null.*--null-keys drop"),
    "null text key": ("time,key\n1,a\n2,\n", {}, "'key', row 1 .* is null.*--null-keys drop"),
    "null time": ("time,key\n,2\n", {}, "'time', row 0 .* is null"),
    "null stream": ("time,key,stream\n1,2,\n", {}, "'stream', row 0 .* is null"),
    "three streams": ("time,key,stream\n1,2,a\n1,2,b\n1,2,c\n", {}, "row 2 .* is 'c' after"),
    "two streams": (
        "time,key,stream\n1,2,a\n1,2,b\n",
        {"problem": "caching"},
        "row 1 .* is 'b' after 'a', but caching",
    ),
    "bad importance": (
        "time,key,importance\n1,2,3\n1,2,much\n",
        {},
        "'importance', row 1 .* holds 'much', which is no number",
    ),
    "negative importance": (
        "time,key,importance\n1,2,-3\n",
        {},
        "'importance', row 0 .* is -3",
    ),
    "not UTF-8": (b"time,key\n1,a\n2,\xe9\n", {}, "'key', row 1 .* not valid UTF-8.*iconv"),
    "header not UTF-8": (b"time,cl\xe9\n1,a\n", {}, "raw.csv is not delimited text"),
    "disorder": ("time,key\n2,1\n1,1\n", {"sort": False}, "'time', row 1 .* goes back.*--sort"),
    "bad delimiter": ("time,key\n", {"delimiter": "::"}, "delimiter '::' .*one ASCII character"),
    "unknown unit": ("time,key\n", {"time_unit": "m"}, "'m' is unknown: choose s, ms, us, ns"),
    "unit and format": ("time,key\n", {"time_unit": "s", "time_format": "%Y"}, "give one"),
    "unknown null keys": ("time,key\n", {"null_keys": "keep"}, "choose error or drop"),
    "unknown problem": ("time,key\n", {"problem": "both"}, "choose joining or caching"),
    "unknown format": ("time,key\n", {"format": "xml"}, "'xml' is unknown: choose one of .*csv"),
}
TIMES = {
    "decimals": ("1\n1700000000.25", {}, "row 1 .* is 1700000000.25, .*--time-unit"),
    "decimal first": ("1700000000.25", {}, "row 0 .*--time-unit"),
    "words": ("soon", {}, "row 0 .* is 'soon', which is no time like .*--time-format"),
    "no such day": ("2023-02-28\n2023-02-29", {}, "row 1 .* is '2023-02-29'"),
    "zone missing": ("2024-01-01T00:00Z\n2024-01-01T00:00", {}, "row 1 .* like 2024.*Z:"),
    "mixed": ("1\n2024-01-01", {}, "row 1 .* is '2024-01-01' after whole numbers"),
    "other format": ("1/2/2024\n31/2/2024", {"time_format": "%d/%m/%Y"}, "row 1 .*'31/2/2024'"),
    "bad format": ("1/2/2024", {"time_format": "%Q"}, "row 0 .* does not have the form '%Q'"),
    "no number": ("5\n2024-01-01", {"time_unit": "s"}, "row 1 .* no number of s.*--time-unit"),
    "infinite": ("inf", {"time_unit": "s"}, "row 0 .* is 'inf', which is no number"),
    "too large": ("1\n1e19", {"time_unit": "s"}, "row 1 .* beyond what s .*--time-unit"),
    "too fine": ("9999-01-01\n2024-01-01T00:00:00.000000001", {}, "row 1 .* no unit fits it"),
    "beyond int64": ("99999999999999999999", {}, "row 0 .* does not fit int64"),
}


@pytest.mark.parametrize(("content", "options", "expected"), CSV.values(), ids=CSV)
def test_csv(refusal, content, options, expected):
    assert re.search(expected, refusal(content, **options))


@pytest.mark.parametrize(("content", "options", "expected"), TIMES.values(), ids=TIMES)
def test_times(refusal, content, options, expected):
    rows = "".join(f"{time},1\n" for time in content.splitlines())
    message = refusal("time,key\n" + rows, **options)
    assert re.search("^raw.csv: column 'time', " + expected, message)


JSON = {
    "no object": ('{"time": 1, "key": 2}\n[1]\n', "row 1 .* is not a JSON object"),
    "array": ('[{"time": 1}]', "holds a JSON array.*jq"),
    "empty": ("\n", "holds no JSON object"),
    "broken": ('{"time": 1, "key": 2}\n{"time"', "row 1 .* is not a JSON object"),
    "mixed": ('{"time": 1, "key": 2}\n{"time": 1, "key": "x"}', "'key', row 1 .* a JSON string"),
    "nested": ('{"time": 1, "key": {"id": 2}}', "'key', row 0 .* a JSON object"),
    "left out": ('{"time": 1, "key": 2}\n{"time": 1}', "'key', row 1 .* is null"),
    "decimals": ('{"time": 1.5, "key": 2}', "'time' is of type double.*--time-unit"),
    "bool": ('{"time": true, "key": 2}', "'time' is of type bool.*--time-col"),
    "bool key": ('{"time": 1, "key": true}', "'key' is of type bool"),
    "not UTF-8": (b'{"time": 1, "key": "\xff"}', "row 0 .*utf-8"),
}


@pytest.mark.parametrize(("content", "expected"), JSON.values(), ids=JSON)
def test_json(refusal, content, expected):
    message = refusal(content, "raw.jsonl")
    assert message.startswith("raw.jsonl")
    assert re.search(expected, message)


def test_rows_are_counted_over_blocks(refusal, monkeypatch):
    monkeypatch.setattr(csv_format, "_BLOCK_BYTES", 64)
    monkeypatch.setattr(json_lines, "_BLOCK_BYTES", 64)
    rows = [f"{row},{row}\n" for row in range(100)]
    rows[70] = "1,2,3\n"
    assert "row 70 " in refusal("time,key\n" + "".join(rows))
    rows[70] = "then,2\n"
    assert "row 70 " in refusal("time,key\n" + "".join(rows))
    rows[70] = '70,"' + "x" * 99 + "\n"
    assert "a quote that is never closed" in refusal("time,key\n" + "".join(rows))
    lines = [f'{{"time": {row}, "key": {row}}}\n' for row in range(100)]
    for bad, what in (('{"time": 70, "key": "x"}\n', "JSON"), ("{{}\n", "not a JSON object")):
        lines[70] = bad
        message = refusal("".join(lines), "raw.jsonl")
        assert what in message
        assert "row 70 " in message


@pytest.mark.parametrize("name", ["raw.parquet", "raw.feather", "raw.oracleGeneral"])
def test_not_of_the_format(refusal, name):
    message = refusal("time,key\n1,2\n", name)
    assert message.startswith(name)
    assert "--format" in message


def test_cut_files(refusal, tmp_path):
    table = pa.table({"time": np.arange(9999), "key": np.arange(9999)})
    pq.write_table(table, tmp_path / "whole.parquet")
    feather.write_feather(table, tmp_path / "whole.feather")
    for name in ("whole.parquet", "whole.feather"):
        whole = (tmp_path / name).read_bytes()
        (tmp_path / name).unlink()
        assert "truncated" in refusal(whole[: len(whole) // 2], f"cut{name[5:]}")
    packed = gzip.compress(b"time,key\n" + b"".join(b"%d,1\n" % row for row in range(9999)))
    assert "cannot read cut.csv.gz: " in refusal(packed[: len(packed) // 2], "cut.csv.gz")
    assert "cannot read no.csv.zst: " in refusal(b"time,key\n1,2\n", "no.csv.zst")
    message = refusal(bytes(24 * 3 + 1), "cut.oracleGeneral")
    assert "row 3 " in message
    assert "24 bytes" in message


@pytest.mark.parametrize(
    ("time", "options", "expected"),
    [
        (pa.array([1.5]), {}, "of type double.*--time-unit"),
        (pa.array([1], pa.timestamp("s")), {"time_unit": "s"}, "timestamp.*leave --time-unit out"),
        (pa.array([1], pa.date32()), {"time_format": "%Y"}, "date32.*leave --time-format out"),
        (pa.array([1.5]), {"time_format": "%Y"}, "double.*--time-col"),
        (pa.array([1], pa.time32("s")), {}, "time32.*--time-col"),
        (pa.array([[1]]), {}, "list.*--time-col"),
        (pa.array([2**63], pa.uint64()), {"time_unit": "s"}, "row 0 .* is 9223372036854775808"),
    ],
)
def test_types_of_times(refusal, tmp_path, time, options, expected):
    pq.write_table(pa.table({"time": time, "key": [1]}), tmp_path / "raw.parquet")
    content = (tmp_path / "raw.parquet").read_bytes()
    assert re.search(expected, refusal(content, "raw.parquet", **options))


def test_file_that_grows(refusal, tmp_path):
    def write_on(what, done, total):
        with (tmp_path / "raw.csv").open("a") as file:
            file.write("2,2\n")

    assert "grew while it was read" in refusal("time,key\n1,1\n", progress=write_on)


def test_paths(refusal, tmp_path):
    out = tmp_path / "trace.parquet"
    raw = tmp_path / "raw.csv"
    raw.write_text("time,key\n1,2\n")
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    empty = tmp_path / "above" / "empty"
    empty.mkdir(parents=True)
    for chosen, words in (
        ({"path": tmp_path / "gone.csv"}, "cannot read .*gone.csv: No such file"),
        ({"path": empty}, "a folder without files"),
        ({"path": empty.parent}, "holds the folder"),
        ({"path": pipe}, "more than once"),
        ({"path": raw, "left": raw}, "either one raw file"),
        ({"left": raw}, "either one raw file"),
        ({}, "either one raw file"),
        ({"left": raw, "right": raw, "problem": "caching"}, "one stream"),
        ({"path": raw, "output": raw}, "raw file itself"),
        ({"path": raw, "output": tmp_path / "gone" / "t.parquet"}, "no folder"),
        ({"path": raw, "output": tmp_path}, "folder"),
    ):
        with pytest.raises(InputError, match=words):
            ingest(**({"output": out} | chosen))
    assert "--format" in refusal("time,key\n", "raw.log")
    assert sorted(os.listdir(tmp_path)) == ["above", "pipe.csv", "raw.csv", "raw.log"]
