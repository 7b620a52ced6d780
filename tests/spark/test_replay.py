"""Spark gives what local partitions give, to the byte: numbers, and refusals of bad input."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import streamjoin_core as sj
from streamjoin_core.checks.cases import random_trace
from streamjoin_core.errors import InputError
from streamjoin_core.inspection import inspect
from streamjoin_core.policies.registry import all_policies
from streamjoin_core.report.write import report_json
from streamjoin_core.trace.columns import Columns
from streamjoin_core.trace.importance import find_importance
from streamjoin_core.trace.layout import Request
from streamjoin_core.trace.read import Recording
from tests.small_traces import SMALL
from tests.trace.test_bad_input import BAD_CELLS, GOOD

PARAMETERS = {"ttl": "ttl:left=3,right=6", "jtl": "jtl:n=2", "lru-k": "lru-k:k=3"}
JOINING = {
    "plain": {"mem": "6,9", "window": 9, "partitions": 3},
    "one partition": {"mem": 3, "window": 9, "partitions": 1},
    "no partitions": {"mem": 3, "window": 9},
    "more partitions than keys": {"mem": 16, "partitions": 16},
    "split, seeds": {"mem": 7, "window": "4:12", "split": "1:3", "partitions": 2, "seeds": 2},
    "evict first": {"mem": 6, "window": 9, "order": "evict-first", "partitions": 3},
    "warm-up": {"mem": 6, "window": 9, "warmup": 20, "combine": "sum", "partitions": 3},
    "only warm-up": {"mem": 6, "window": 9, "warmup": 10**6, "partitions": 3},
    "balance": {"mem": 6, "window": 9, "balance": True, "opt": True, "partitions": 3},
    "same step": {"mem": 6, "window": 9, "count_same_step": True, "seed": 7, "partitions": 3},
    "model": {
        "mem": 6,
        "window": 9,
        "partitions": 3,
        "model": {
            label: {"kind": "stationary", "pmf": {str(key): 1 / 8 for key in range(7)}}
            for label in "RS"
        },
    },
}
CACHING = {
    "plain": {"mem": "2,5", "partitions": 2},
    "balance": {"mem": 4, "partitions": 3, "balance": True, "warmup": 9},
}
KEYS = {
    "integers": lambda key: key - 3,
    "doubles": lambda key: key * 0.5 - 1,
    "strings": lambda key: np.array([f"k{one}é" for one in key], object),
}
TIMES = {"numbers": None, "seconds": "s", "nanoseconds": "ns"}


def table(seed=1, rows=200, keys="integers", times="numbers"):
    """A random trace with groups."""
    trace = random_trace(seed, rows)
    unit = TIMES[times]
    return pa.table(
        {
            "g": pa.array([f"g{one % 3}" for one in trace.time.tolist()]),
            "key": pa.array(KEYS[keys](trace.key_values[trace.key])),
            "time": pa.array(trace.time).cast(pa.timestamp(unit)) if unit else trace.time,
            "stream": pa.array(np.array(["R", "S"])[trace.stream]),
            "importance": trace.importance,
        }
    )


def write(folder, content, files=3):
    """Files whose order of names is the order of rows, in small row groups."""
    folder.mkdir()
    (folder / "_SUCCESS").write_text("")
    ends = np.linspace(0, len(content), files + 1).astype(int).tolist()
    for number, (start, end) in enumerate(pairwise(ends)):
        # A blank, a percent sign and brackets: names are no patterns, and mean what they say.
        path = folder / f"part {number}%20[a].parquet"
        pq.write_table(content.slice(start, end - start), path, row_group_size=17)
    return folder


def recording(path, left=None, right=None, problem="joining", **request):
    columns = request.pop("columns", Columns())
    return Recording(path, left, right, Request(columns, problem=problem, **request))


def check_same(cluster, where, policy, **options):
    """The same report from both."""
    local = sj.replay(where.read, policy=policy, problem=where.request.problem, **options)
    spread = sj.replay(
        where, policy=policy, problem=where.request.problem, spark=cluster, **options
    )
    assert report_json(spread) == report_json(local)
    return spread


def policies(problem, options):
    """All that have an answer to the question."""
    return [
        PARAMETERS.get(policy.name, policy.name)
        for policy in all_policies()
        if getattr(policy, problem)
        and ("window" in options or "window" not in policy.needs)
        and (options.get("order") != "evict-first" or "probe-first" not in policy.needs)
        and ("model" in options or "model" not in policy.needs)
    ]


@pytest.mark.parametrize("name", JOINING)
def test_joining(cluster, tmp_path, name):
    seed, options = list(JOINING).index(name), JOINING[name]
    folder = write(tmp_path / "[trace] {1}", table(seed))
    group = "g" if seed % 2 else None
    check_same(cluster, recording(folder, group_by=group), policies("joining", options), **options)


@pytest.mark.parametrize(
    ("lines", "times"),
    [
        ("key,importance\n0,3\n1,2.5\n*,1", "numbers"),
        ("stream,importance,from_time\nR,1,\nS,2,\nR,9,10\n*,4,30", "numbers"),
        ("g,importance,from_time\ng0,5,\n*,1,\ng1,7,1970-01-01T00:00:20", "seconds"),
        ("bins of key,importance,from_time\n-inf,1,\n-2,5,\n1,8,\n1,2,15", "numbers"),
    ],
    ids=["key", "stream", "column", "bins"],
)
def test_tables_of_importance(cluster, tmp_path, lines, times):
    folder = write(tmp_path / "trace", table(5, times=times))
    file = tmp_path / "worth.csv"
    file.write_text(lines.removeprefix("bins of "))
    given = (None, file) if lines.startswith("bins") else (file, None)
    where = recording(folder, group_by="g", worth=find_importance(*given))
    window = "9s" if times == "seconds" else 9
    for options in (
        {"mem": 6, "partitions": 3, "order": "evict-first"},
        {"mem": 9, "partitions": 9, "warmup": 10**6},
        {"mem": 4, "combine": "sum", "balance": True, "partitions": 2},
    ):
        check_same(cluster, where, ["greedy", "ijoin", "prob"], window=window, **options)
    optimum = {"mem": 6, "window": window, "partitions": 3, "objective": "importance"}
    local, spread = (
        report_json(sj.opt_offline(*source, **optimum, **how))
        for source, how in (([where.read], {}), ([where], {"spark": cluster}))
    )
    assert local == spread


@pytest.mark.parametrize("name", CACHING)
def test_caching(cluster, tmp_path, name):
    content = table(3).drop_columns(["stream", "importance"])
    model = {"R": {"kind": "stationary", "pmf": {str(key): 1 / 8 for key in range(-3, 4)}}}
    where = recording(write(tmp_path / "trace", content), problem="caching")
    options = CACHING[name] | {"model": model}
    check_same(cluster, where, policies("caching", options), **options)


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("keys", KEYS)
def test_kinds_of_columns(cluster, tmp_path, keys, times):
    folder = write(tmp_path / "trace", table(5, keys=keys, times=times))
    window = f"9{TIMES[times] or ''}"
    options = {"mem": 6, "window": window, "partitions": 3, "balance": times == "numbers"}
    report = check_same(cluster, recording(folder), "prob,rand", warmup=3, **options)
    assert report.options["time_unit"] == TIMES[times]


def test_units_and_widths_may_differ_between_files(cluster, tmp_path):
    folder = tmp_path / "trace"
    folder.mkdir()
    whole = table(6, times="seconds")
    for number, (unit, key) in enumerate([("ns", "int32"), ("ms", "int64"), ("us", "int16")]):
        part = whole.slice(number * 60, 60)
        times = part["time"].cast(pa.timestamp(unit))
        part = part.set_column(2, "time", times).set_column(1, "key", part["key"].cast(key))
        pq.write_table(part, folder / f"{number}.parquet")
    report = check_same(cluster, recording(folder), "fifo", mem=6, window="9s", partitions=2)
    assert report.options["time_unit"] == "ns"


def test_disorder_other_names_and_rows_without_key(cluster, tmp_path):
    content = table(7)
    shuffled = content.take(np.random.default_rng(0).permutation(len(content)))
    keys = shuffled["key"].to_pylist()
    shuffled = shuffled.set_column(1, "key", pa.array([None, *keys[1:90], None, *keys[91:]]))
    names = {"time": "ts", "key": "User.id", "importance": "weight"}
    shuffled = shuffled.rename_columns([names.get(n, n) for n in shuffled.column_names])
    shuffled = shuffled.append_column("user.ID", pa.array(np.zeros(len(shuffled))))
    columns = Columns(time="ts", key="User.id", importance="weight")
    where = recording(
        write(tmp_path / "trace", shuffled), columns=columns, sort=True, null_keys="drop"
    )
    check_same(cluster, where, "prob,greedy", mem=6, window=9, warmup=4, partitions=3)


def test_a_left_and_a_right_file(cluster, tmp_path):
    content = table(8).drop_columns("stream")
    left = write(tmp_path / "left", content.slice(0, 90))
    right = write(tmp_path / "right", content.slice(0, 120))
    where = recording(None, left, right)
    report = check_same(cluster, where, "fifo,prob", mem=6, window=9, partitions=3)
    assert report.runs[0].exact > 0


def test_traces_at_the_edge(cluster, tmp_path):
    for name, content in {
        "empty": table().slice(0, 0),
        "one row": table().slice(0, 1),
        "one stream": table().filter(pa.compute.equal(table()["stream"], "S")),
    }.items():
        where = recording(write(tmp_path / name, content, files=1))
        check_same(cluster, where, "fifo,exact", mem=2, window=9, partitions=2, warmup=2)


def test_a_trace_knows_its_model(cluster, tmp_path):
    path = tmp_path / "tower.parquet"
    sj.write_trace(sj.generate("tower", steps=200, seed=1), path)
    report = check_same(cluster, recording(path), "heeb", mem=6, partitions=2)
    assert report.options["model"]["source"] == "trace"


def test_optimum(cluster, tmp_path):
    where = recording(write(tmp_path / "trace", table(9)))
    for options in ({}, {"objective": "importance"}, {"bound": True, "warmup": 3}):
        asked = {"mem": "3,6", "window": 9, "partitions": 3} | options
        local = sj.opt_offline(where.read, **asked)
        assert report_json(sj.opt_offline(where, spark=cluster, **asked)) == report_json(local)
    with pytest.raises(InputError, match="leave --whole out"):
        sj.opt_offline(where, mem=6, partitions=3, whole=True, spark=cluster)


@pytest.mark.parametrize("times", TIMES)
def test_inspection(cluster, tmp_path, times):
    where = recording(write(tmp_path / "trace", table(4, keys="doubles", times=times)))
    window = f"4{TIMES[times] or ''}:12{TIMES[times] or ''}"
    for options in ({}, {"window": window, "warmup": 7, "top": 3}):
        local = inspect(where.read, **options).as_dict()
        for partitions in (1, 5):
            found = inspect(where, spark=cluster, partitions=partitions, **options).as_dict()
            if partitions > 1:
                found["trace"]["fingerprint"] = local["trace"]["fingerprint"]
                for own, other in zip(found["streams"], local["streams"], strict=True):
                    assert own["trend"] == pytest.approx(other["trend"], rel=1e-9)
                    own["trend"] = other["trend"]
            assert found == local


def test_inspections_that_spark_refuses(cluster, tmp_path):
    folder = write(tmp_path / "trace", table())
    for options in (
        {"on": "<"},
        {"band": "-1:1"},
        {"window": 3, "window_kind": "tuples"},
        {"problem": "caching"},
    ):
        told = refusal(lambda options=options: inspect(folder, spark=cluster, **options))
        assert "leave --spark out" in told
    assert "--partitions" in refusal(lambda: inspect(SMALL, partitions=2))


def refusal(call) -> str:
    with pytest.raises(InputError) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("files", [1, 4])
@pytest.mark.parametrize("name", BAD_CELLS)
def test_bad_cells_are_refused_in_the_same_words(cluster, tmp_path, name, files):
    bad = pa.table(GOOD | BAD_CELLS[name][0])
    where = recording(write(tmp_path / "trace", bad, files))
    options = {"policy": "fifo", "mem": 2, "partitions": 2}
    local = refusal(lambda: sj.replay(where.read, **options))
    assert refusal(lambda: sj.replay(where, spark=cluster, **options)) == local


def test_refusals(cluster, tmp_path):
    folder = write(tmp_path / "trace", table())
    options = {"policy": "fifo", "mem": 6, "partitions": 2}
    model = {"Q": {"kind": "offline"}}
    local = refusal(lambda: sj.replay(str(folder), model=model, **options))
    assert refusal(lambda: sj.replay(folder, model=model, spark=cluster, **options)) == local
    fitted = {"policy": "heeb", "mem": 6, "model": "auto"}
    assert "sjoin fit" in refusal(lambda: sj.replay(folder, spark=cluster, **fitted))
    assert "give a path" in refusal(lambda: sj.replay(SMALL, spark=cluster, **options))
    for lines in ("key,importance\n1,2\n", "key,importance\nx,2\n*,1\n"):
        (tmp_path / "worth.csv").write_text(lines)
        worth = recording(folder, worth=find_importance(tmp_path / "worth.csv", None))
        local = refusal(lambda worth=worth: sj.replay(worth.read, **options))
        where = refusal(lambda worth=worth: sj.replay(worth, spark=cluster, **options))
        assert where[:40] == local[:40]
    missing = tmp_path / "missing"
    assert "No such file" in refusal(lambda: sj.replay(missing, spark=cluster, **options))
    odd = table().set_column(2, "time", pa.array([1] * 200, pa.uint64()))
    odd = odd.set_column(1, "key", pa.array([1.5] * 200).cast(pa.float16()))
    odd = write(tmp_path / "odd", odd)
    told = refusal(lambda: sj.replay(odd, spark=cluster, **options))
    assert "which Spark does not read" in told
    old = tmp_path / "old.parquet"
    pq.write_table(table(times="nanoseconds"), old, use_deprecated_int96_timestamps=True)
    assert "INT96" in refusal(lambda: sj.replay(old, spark=cluster, **options))
