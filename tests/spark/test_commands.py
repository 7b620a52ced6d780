"""What else a cluster does: sweeps, fits, and raw files that become a trace."""

import json
import os

import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import streamjoin_core as sj
from streamjoin_core.errors import InputError
from streamjoin_core.models.fitting import fit
from streamjoin_core.report.write import report_json
from streamjoin_core.trace.columns import Columns
from streamjoin_core.trace.ingest import ingest
from tests.spark.test_replay import recording, table, write


def test_a_sweep_is_the_same(cluster, tmp_path):
    where = recording(write(tmp_path / "trace", table(1)))
    asked = {"policy": "rand,prob,opt", "mem": "2,5", "seeds": 2, "window": 9, "warmup": 3}
    local = sj.sweep(where.read, **asked, jobs=1)
    output = tmp_path / "sweep.json"
    spread = sj.sweep(where, **asked, spark=cluster, output=output)
    assert report_json(spread) == report_json(local)
    assert json.loads(output.read_text()) == json.loads(report_json(local))
    assert sorted(os.listdir(tmp_path)) == ["sweep.json", "trace"]
    with pytest.raises(InputError, match="leave out either it or --spark"):
        sj.sweep(where, **asked, spark=cluster, jobs=2)


@pytest.mark.parametrize("options", [{}, {"stream": "S", "prefix": 0.5, "criterion": "aic"}])
def test_a_fit_is_the_same(cluster, tmp_path, options):
    path = tmp_path / "tower.parquet"
    sj.write_trace(sj.generate("tower", steps=200, seed=1), path)
    local = fit(str(path), **options).as_dict()
    found = fit(recording(path), spark=cluster, **options)
    assert found.as_dict() == local
    assert all(len(stream.residuals) == 0 for stream in found.streams)


def raw_files(folder, how, times):
    """Raw files of a trace, one of them without rows."""
    whole, folder = table(2, times="seconds"), folder / "raw"
    folder.mkdir()
    if times == "disorder":
        whole = whole.take(np.random.default_rng(0).permutation(len(whole)))
    for number, (start, end) in enumerate([(0, 90), (90, 90), (90, 200)]):
        part = whole.slice(start, end - start)
        if how == "csv":
            pyarrow.csv.write_csv(part, folder / f"{number}.csv")
        elif how == "json":
            rows = [row | {"time": row["time"].isoformat()} for row in part.to_pylist()]
            lines = "".join(json.dumps(row) + "\n" for row in rows)
            if rows:
                (folder / f"{number}.jsonl").write_text(lines)
        else:
            pq.write_table(part, folder / f"{number}.parquet")
    return folder


@pytest.mark.parametrize(
    ("how", "times"),
    [("csv", "order"), ("csv", "disorder"), ("json", "disorder"), ("parquet", "order")],
)
def test_raw_files_become_the_same_trace(cluster, tmp_path, how, times):
    raw = raw_files(tmp_path, how, times)
    one, many = tmp_path / "one.parquet", tmp_path / "many"
    local = ingest(raw, output=one, keep=["g"])
    found = ingest(raw, output=many, keep=["g"], spark=cluster)
    assert found | {"fingerprint": None} == local | {"fingerprint": None}
    expected, trace = (sj.read_trace(path, group_by="g") for path in (one, many))
    assert trace.fingerprint == expected.fingerprint == local["fingerprint"]
    assert np.array_equal(trace.group, expected.group)
    assert (trace.group_labels, trace.metadata) == (expected.group_labels, expected.metadata)
    assert sorted(os.listdir(tmp_path)) == ["many", "one.parquet", "raw"]


def test_two_sides_and_types_that_agree(cluster, tmp_path):
    for side, cells in (("left", ["5", "1"]), ("right", ["x", "1.5"])):
        (tmp_path / side).mkdir()
        for number, cell in enumerate(cells):
            text = f"t,key\n2024-01-01T00:00:0{number},{cell}\n2024-01-01T00:00:02.5,1\n"
            (tmp_path / side / f"{number}.csv").write_text(text)
    asked = {"left": tmp_path / "left", "right": tmp_path / "right", "columns": Columns(time="t")}
    local = ingest(**asked, output=tmp_path / "one.parquet")
    found = ingest(**asked, output=tmp_path / "many", spark=cluster)
    assert found | {"fingerprint": local["fingerprint"]} == local
    assert sj.read_trace(tmp_path / "many").fingerprint == local["fingerprint"]
    assert (local["time_unit"], local["keys"], local["sorted"]) == ("ms", 4, True)


def test_raw_files_that_are_refused_leave_nothing(cluster, tmp_path):
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "0.csv").write_text("time,key,stream\n1,1,a\n2,1,b\n")
    (raw / "1.csv").write_text("time,key,stream\n1,1,a\n3,,a\n")
    surplus = tmp_path / "surplus"
    surplus.mkdir()
    (surplus / "0.csv").write_text("time,key,stream\n1,1,a\n2,1,b\n")
    (surplus / "1.csv").write_text("time,key,stream\n3,1,a\n3,1,c\n")
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "file").write_text("")
    for files, options in ((raw, {}), (raw, {"null_keys": "drop", "sort": False}), (surplus, {})):
        told = []
        for spark in (None, cluster):
            with pytest.raises(InputError) as caught:
                ingest(files, output=tmp_path / "out", spark=spark, **options)
            told.append(str(caught.value))
        assert told[0] == told[1]
    with pytest.raises(InputError, match="name a new folder"):
        ingest(raw, output=taken, spark=cluster)
    with pytest.raises(InputError, match="choose a time"):
        ingest(raw, output=tmp_path / "out", columns=Columns(time="row"))
    assert sorted(os.listdir(tmp_path)) == ["raw", "surplus", "taken"]


def test_raw_files_without_rows(cluster, tmp_path):
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "0.csv").write_text("time,key\n")
    found = ingest(raw, output=tmp_path / "many", spark=cluster)
    assert (found["rows"], found["problem"]) == (0, "caching")
    assert len(sj.read_trace(tmp_path / "many", problem="caching")) == 0
