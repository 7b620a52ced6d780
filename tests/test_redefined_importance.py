"""Importance that changes during the run: all policies, the whole join and the optimum agree.

A pair is worth what both of its tuples are worth when the later one arrives.
"""

import os

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streamjoin_core as sj
from tests.oracle.best_schedule import best_total
from tests.oracle.slow_ijoin import SlowIJoin
from tests.oracle.slow_join import Replay, slow_replay
from tests.oracle.strategies import join_cases
from tests.test_against_oracle import check_join, column, fast_run

EXAMPLES = int(os.environ.get("SJOIN_EXAMPLES", "600")) // 6
SOURCES = ("x", "y", "z")


@st.composite
def tables(draw) -> list:
    """Lines of (source, importance, from_time): every source has one from the start."""
    weights = st.integers(0, 8).map(lambda n: n / 4)
    first = [(source, draw(weights), None) for source in SOURCES]
    later = draw(
        st.lists(
            st.tuples(st.sampled_from(SOURCES), weights, st.integers(-2, 30)),
            max_size=5,
            unique_by=lambda line: (line[0], line[2]),
        )
    )
    return first + later


@st.composite
def cases(draw):
    rows, options = draw(join_cases(["exact", "fifo", "greedy", "greedy", "ijoin"]))
    rows = [(*row[:4], draw(st.sampled_from(SOURCES))) for row in rows[:30]]
    if options["policy"] == "ijoin":
        schemes = st.sampled_from(["successive", "k-successive", "adaptive"])
        options["params"] = {
            "tau": draw(st.integers(0, 3)),
            "recompute": draw(schemes),
            "bucket": 2,
        }
    return rows, draw(tables()), options


def worth_of(lines):
    def worth(row, time):
        known = [
            (-(10**9) if start is None else start, importance)
            for source, importance, start in lines
            if source == row[4] and (start is None or start <= time)
        ]
        return max(known, key=lambda one: one[0])[1]

    return worth


def trace_of(rows, lines, folder) -> sj.Trace:
    """The rows with importances by their last column, which is also the group."""
    time, stream, key, _, source = zip(*rows, strict=True) if rows else ((),) * 5
    text = "source,importance,from_time\n" + "".join(
        f"{source},{importance},{'' if start is None else start}\n"
        for source, importance, start in lines
    )
    (folder / "worth.csv").write_text(text)
    table = pa.table(
        {
            "time": pa.array(time, pa.int64()),
            "stream": pa.array(["RS"[side] for side in stream], pa.string()),
            "key": pa.array(column(key)),
            "source": pa.array(source, pa.string()),
        }
    )
    return sj.trace_from_table(table, group_by="source", importance=folder / "worth.csv")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("worth")


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
@given(case=cases())
def test_policies(folder, case):
    rows, lines, options = case
    kind = SlowIJoin if options["policy"] == "ijoin" else Replay
    slow = slow_replay(rows, worth=worth_of(lines), kind=kind, **options)
    if not rows:
        slow["groups"] = {}
    check_join(fast_run(trace_of(rows, lines, folder), **options), slow)


@settings(max_examples=EXAMPLES // 2, deadline=None, derandomize=True)
@given(case=cases(), mem=st.integers(1, 2))
def test_optimum(folder, case, mem):
    rows, lines, options = case
    rows = rows[:14]
    names = ("window", "window_kind", "split", "on", "band", "combine", "warmup")
    options = {name: options[name] for name in names if name in options} | {"mem": mem}
    best = float(best_total(rows, worth=worth_of(lines), objective="importance", **options))
    trace = trace_of(rows, lines, folder)
    (found,) = sj.opt_offline(trace, objective="importance", **options).runs
    assert found.lower == found.upper == pytest.approx(best, rel=1e-9)
    (run,) = sj.replay(trace, policy="opt:objective=importance", **options).runs
    assert run.importance == pytest.approx(best, rel=1e-9)
