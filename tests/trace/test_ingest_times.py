"""Ingest: times in all the ways in which people write them."""

import json
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streamjoin_core.trace import Columns, read_trace
from streamjoin_core.trace.ingest import ingest

DAY = np.datetime64("2024-01-31", "s").astype(int).item()


def times_of(tmp_path, times, name="raw.csv", **options):
    """What a trace's times become if a raw file has these; and their unit."""
    path, out = tmp_path / name, tmp_path / "trace.parquet"
    if name.endswith("csv"):
        path.write_text("time,key\n" + "".join(f'"{time}",1\n' for time in times))
    elif name.endswith("jsonl"):
        path.write_text("".join(json.dumps({"time": time, "key": 1}) + "\n" for time in times))
    else:
        pq.write_table(pa.table({"time": times, "key": [1] * len(times)}), path)
    summary = ingest(path, output=out, **options)
    trace = read_trace(out, problem="caching")
    assert trace.time_unit == summary["time_unit"]
    return trace.time.tolist(), trace.time_unit


ISO = {
    "days": (["2024-01-31", "2024-02-01"], [DAY, DAY + 86400], "s"),
    "minutes": (["2024-01-31T00:01", "2024-01-31 00:02"], [DAY + 60, DAY + 120], "s"),
    "one finer than the others": (
        ["2024-01-31 00:00:01", "2024-01-31 00:00:02.5"],
        [DAY * 1000 + 1000, DAY * 1000 + 2500],
        "ms",
    ),
    "microseconds": (["2024-01-31T00:00:00.000001"], [DAY * 10**6 + 1], "us"),
    "nanoseconds": (["2024-01-31T00:00:00.000000001"], [DAY * 10**9 + 1], "ns"),
    "zones": (["2024-01-31T00:00:05Z", "2024-01-31T02:00:06+02:00"], [DAY + 5, DAY + 6], "s"),
    "far away": (["1500-01-01", "9999-12-31"], [-14831769600, 253402214400], "s"),
}


@pytest.mark.parametrize(("texts", "counts", "unit"), ISO.values(), ids=ISO)
@pytest.mark.parametrize("name", ["raw.csv", "raw.jsonl", "raw.parquet"])
def test_iso(tmp_path, name, texts, counts, unit):
    assert times_of(tmp_path, texts, name) == (counts, unit)


@pytest.mark.parametrize(
    ("text", "time_format", "count", "unit"),
    [
        ("31/01/2024", "%d/%m/%Y", DAY, "s"),
        ("Jan 31 2024 1:00 AM", "%b %d %Y %I:%M %p", DAY + 3600, "s"),
        ("31.1.2024 0:00:00.25", "%d.%m.%Y %H:%M:%S.%f", DAY * 10**6 + 250_000, "us"),
        ("31/Jan/2024:02:00:00 +0200", "%d/%b/%Y:%H:%M:%S %z", DAY, "s"),
        ("20240131", "%Y%m%d", DAY, "s"),
    ],
)
def test_format(tmp_path, text, time_format, count, unit):
    for name in ("raw.csv", "raw.jsonl"):
        assert times_of(tmp_path, [text] * 2, name, time_format=time_format) == ([count] * 2, unit)


def test_format_of_integers(tmp_path):
    for name in ("raw.jsonl", "raw.parquet"):
        assert times_of(tmp_path, [20240131], name, time_format="%Y%m%d") == ([DAY], "s")


@pytest.mark.parametrize("name", ["raw.csv", "raw.jsonl", "raw.parquet"])
def test_integers(tmp_path, name):
    big = 2**53 + 1
    assert times_of(tmp_path, [-5, big], name) == ([-5, big], None)
    for unit in ("s", "ms", "us", "ns"):
        assert times_of(tmp_path, [-5, big // 10**6], name, time_unit=unit)[1] == unit
    assert times_of(tmp_path, ["1", "2"], name) == ([1, 2], None)
    assert times_of(tmp_path, ["1", "2"], name, time_unit="ms") == ([1, 2], "ms")


DECIMALS = {
    "whole": ([1700000000.0, 1700000001.0], "s", [1700000000, 1700000001], "s"),
    "quarter": ([1700000000.25, 1700000001], "s", [1700000000250, 1700000001000], "ms"),
    "no binary fraction": ([0.1, 1700000000.123], "s", [100, 1700000000123], "ms"),
    "microseconds": ([1700000000.123456], "s", [1700000000123456], "us"),
    "clock": ([1700000000.1234567], "s", [1700000000123456700], "ns"),
    "milliseconds": ([1.5, 1700000000000.0], "ms", [1500, 1700000000000000], "us"),
    "negative": ([-0.5, 1e-3], "s", [-500, 1], "ms"),
}


@pytest.mark.parametrize(("numbers", "given", "counts", "unit"), DECIMALS.values(), ids=DECIMALS)
@pytest.mark.parametrize("name", ["raw.csv", "raw.jsonl", "raw.parquet"])
def test_decimals(tmp_path, name, numbers, given, counts, unit):
    assert times_of(tmp_path, numbers, name, time_unit=given) == (counts, unit)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    numbers=st.lists(st.decimals(-(10**9), 2 * 10**9, places=9), min_size=1, max_size=5),
    as_text=st.booleans(),
)
def test_decimals_are_exact(tmp_path, numbers, as_text):
    numbers.sort()
    if as_text:
        exact = numbers
        counts, unit = times_of(tmp_path, numbers, time_unit="s")
    else:  # a double means the shortest decimal that reads as it
        exact = [Decimal(repr(float(number))) for number in numbers]
        counts, unit = times_of(tmp_path, list(map(float, numbers)), "raw.parquet", time_unit="s")
    scale = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    assert counts == [number * scale for number in exact]
    coarser = scale // 1000
    assert coarser == 0 or any(number * coarser % 1 for number in exact)


def test_beyond_nanoseconds_is_rounded_and_said(tmp_path):
    path = tmp_path / "raw.csv"
    path.write_text("time,key\n0.30000000000000004,1\n1.2345678901e-05,2\n")
    summary = ingest(path, output=tmp_path / "trace.parquet", time_unit="s")
    assert (summary["rounded"], summary["time_unit"], summary["sorted"]) == (True, "ns", True)
    trace = read_trace(tmp_path / "trace.parquet", problem="caching")
    assert trace.time.tolist() == [12346, 300_000_000]


@pytest.mark.parametrize("type_", [pa.timestamp("us"), pa.timestamp("ns", "UTC"), pa.duration("s")])
def test_types_that_tell_their_unit(tmp_path, type_):
    assert times_of(tmp_path, pa.array([1, 2], type_), "raw.parquet") == ([1, 2], type_.unit)


def test_rows_of_equal_time_keep_their_order(tmp_path):
    path, out = tmp_path / "raw.csv", tmp_path / "trace.parquet"
    path.write_text("time,key\n" + "".join(f"{row % 3},{row}\n" for row in range(99)))
    ingest(path, output=out)
    keys = read_trace(out, problem="caching").key.tolist()
    assert keys == sorted(range(99), key=lambda row: row % 3)


def test_time_may_be_a_key_too(tmp_path):
    path, out = tmp_path / "raw.csv", tmp_path / "trace.parquet"
    path.write_text("day\n2024-01-31\n2024-02-01\n")
    ingest(path, output=out, columns=Columns("day", key="day"))
    assert len(read_trace(out, problem="caching").key_values) == 2
