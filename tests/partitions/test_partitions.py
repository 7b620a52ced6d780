"""Partitions: against a slow version, and against what must hold of them."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import streamjoin_core as sj
from streamjoin_core.checks.cases import random_trace, references
from streamjoin_core.engine.facts import CachingFacts, Lifetimes, add_up
from streamjoin_core.errors import InputError, SjoinError
from streamjoin_core.partitions.balance import balanced
from streamjoin_core.partitions.partitioning import Partitioning, cut, rows_of
from streamjoin_core.partitions.processes import processes
from streamjoin_core.partitions.shares import memory_share, partition_seed
from streamjoin_core.report.partitions import sharing, unevenness
from streamjoin_core.report.report import Partition
from streamjoin_core.report.write import report_json
from streamjoin_core.trace.hashing import key_hashes
from streamjoin_core.trace.trace import Redefinition
from tests.oracle.slow_partitions import slow_balance, slow_hash, slow_partitioned, slow_seed
from tests.oracle.strategies import join_cases
from tests.test_against_oracle import as_policy, as_trace, check_join, column, examples

numbers = st.integers(-(2**63), 2**63 - 1)
keys = st.one_of(
    st.lists(numbers), st.lists(st.floats(allow_nan=False)), st.lists(st.text(max_size=9))
)


@examples(2)
@given(keys)
def test_hash(given):
    found = key_hashes(column(given)).tolist()
    assert found == [slow_hash(key) for key in given]
    if given and isinstance(given[0], str):
        sliced = pa.array(["before", *given, "after"])[1:-1]
        assert key_hashes(sliced).tolist() == found


def test_shares():
    for mem in range(1, 30):
        shares = [memory_share(mem, number, 7) for number in range(7)]
        assert sum(shares) == mem
        assert max(shares) - min(shares) <= 1
        assert shares == sorted(shares, reverse=True)
    seeds = [partition_seed(seed, number) for seed in (0, 1, 2**63 - 1) for number in range(5)]
    assert seeds == [slow_seed(seed, number) for seed in (0, 1, 2**63 - 1) for number in range(5)]
    assert len(set(seeds)) == len(seeds)
    assert max(seeds) < 2**63


@examples(3)
@given(join_cases(), st.integers(2, 4), st.booleans())
def test_joining(case, partitions, balance):
    rows, options = case
    options |= {"on": "=", "window_kind": "time", "mem": options["mem"] + partitions}
    options.pop("band", None)
    slow = slow_partitioned(rows, partitions, balance=balance, **options)
    policy = as_policy(options.pop("policy"), options.pop("params"))
    options |= {"partitions": partitions, "balance": balance}
    (fast,) = sj.replay(as_trace(rows), policy=policy, **options).runs
    check_join(fast, slow)


def test_one_partition_is_the_whole_trace():
    trace = random_trace(1)
    options = {"policy": "rand,prob", "mem": "3,5", "window": 9, "warmup": 4, "opt": True}
    whole, one = sj.replay(trace, **options), sj.replay(trace, partitions=1, **options)
    assert one.runs == whole.runs
    assert one.trace == whole.trace
    assert (whole.partitions, [part.rows for part in one.partitions]) == ((), [len(trace)])
    banded = {"policy": "fifo", "mem": 3, "band": "-1:1", "window": 5, "window_kind": "tuples"}
    assert sj.replay(trace, partitions=1, **banded).runs == sj.replay(trace, **banded).runs


def test_the_whole_join_is_the_same_for_every_number_of_partitions():
    trace = random_trace(2)
    runs = [
        sj.replay(trace, policy="exact", window=9, warmup=7, partitions=parts).runs[0]
        for parts in (1, 2, 5, 50)
    ]
    assert len({(run.exact, run.same_step_results, run.exact_importance) for run in runs}) == 1
    assert all(run.results == run.exact > 0 for run in runs)


def test_optimum_of_the_partitioned_memory():
    trace = random_trace(3)
    report = sj.replay(trace, policy="opt,prob", mem="4,9", window=9, partitions=3, opt=True)
    best, prob = report.runs[:2], report.runs[2:]
    assert [run.ratio_to_opt for run in best] == [1.0, 1.0]
    for top, run in zip(best, prob, strict=True):
        assert run.ratio_to_opt == run.results / top.results <= 1
    found = sj.opt_offline(trace, mem="4,9", window=9, partitions=3, whole=True)
    uncut = sj.opt_offline(trace, mem="4,9", window=9)
    assert [run.results for run in found.runs] == [run.results for run in best]
    assert [run.unpartitioned for run in found.runs] == [run.results for run in uncut.runs]
    assert all(run.results <= run.unpartitioned for run in found.runs)
    weighed = sj.opt_offline(trace, mem=9, window=9, partitions=3, objective="importance")
    replayed = sj.replay(trace, policy="opt:objective=importance", mem=9, window=9, partitions=3)
    assert weighed.runs[0].importance == pytest.approx(replayed.runs[0].importance)
    by_a_peer = sj.opt_offline(trace, mem=9, window=9, partitions=3, solver="ortools")
    assert by_a_peer.runs[0].results == found.runs[1].results


def test_caching():
    trace = references(random_trace(4))
    together = sj.replay(trace, problem="caching", policy="lru,rand", mem=5, warmup=3, partitions=2)
    time = trace.time[np.searchsorted(trace.time, np.unique(trace.time)[3])]
    for index, policy in enumerate(("lru", "rand")):
        hits = counted = 0
        for number, part in enumerate(cut(trace, Partitioning(2))):
            warm = len(np.unique(part.time[part.time < time]))
            options = {"mem": 3 - number, "warmup": warm, "seed": slow_seed(0, number)}
            (run,) = sj.replay(part, problem="caching", policy=policy, **options).runs
            hits, counted = hits + run.hits, counted + run.references
        assert (together.runs[index].hits, together.runs[index].references) == (hits, counted)


def test_a_cut_trace_has_all_rows_in_order():
    trace = random_trace(5)
    parts = list(cut(trace, Partitioning(4)))
    assert sum(map(len, parts)) == len(trace)
    for number, part in enumerate(parts):
        assert all(slow_hash(key) % 4 == number for key in part.key_values.tolist())
        assert np.array_equal(np.unique(part.key), np.arange(len(part.key_values)))
        mine = np.isin(trace.key_values[trace.key], part.key_values)
        for name in ("time", "stream", "importance"):
            assert np.array_equal(getattr(part, name), getattr(trace, name)[mine])
        assert np.array_equal(part.key_values[part.key], trace.key_values[trace.key[mine]])


def test_some_rows_keep_what_importance_becomes():
    trace = random_trace(9)
    kind = np.arange(len(trace), dtype=np.int32)[::-1] // 2
    table = np.arange(2.0 * len(trace)).reshape(2, -1)
    whole = dataclasses.replace(trace, redefinition=Redefinition(np.array([5]), table, kind))
    some = rows_of(whole, slice(7))
    assert np.array_equal(some.redefinition.table[:, some.redefinition.kind], table[:, kind[:7]])
    assert some.redefinition.table.shape[1] == len(set(kind[:7]))
    worth = [
        part.redefinition.table[:, part.redefinition.kind] for part in cut(whole, Partitioning(3))
    ]
    assert sorted(np.concatenate(worth, 1)[0]) == sorted(table[0, kind])


@pytest.mark.parametrize("kind", [int, float, str])
def test_balance(kind):
    trace = random_trace(6, 900)
    rows = [kind(key) for key in trace.key_values[trace.key].tolist()]
    trace = sj.trace_from_arrays(trace.time, column(rows), ["R"] * 900)
    found = balanced(trace, 3).places(trace.key_values)
    expected = slow_balance(rows, 3)
    assert dict(zip(trace.key_values.tolist(), found.tolist(), strict=True)) == expected
    sizes = [len(part) for part in cut(trace, balanced(trace, 3))]
    assert max(sizes) < max(len(part) for part in cut(trace, Partitioning(3)))


def test_processes_give_the_same_bytes():
    options = {"policy": "fifo,rand", "mem": "4,9", "seeds": 2, "window": 9, "partitions": 4}
    trace = random_trace(7)
    alone, shared = (sj.replay(trace, jobs=jobs, **options) for jobs in (1, 2))
    assert report_json(alone) == report_json(shared)


def test_a_process_that_dies_is_one_sentence():
    with (
        pytest.raises(SjoinError, match="ended from outside"),
        processes(__import__("os")._exit, 2) as each,
    ):
        list(each([(1,), (1,)]))


def test_facts_add_up():
    one = CachingFacts(5, 2, 1, 1, Lifetimes(2, 7.0, 25.0))
    assert add_up([one, one]) == CachingFacts(10, 4, 2, 2, Lifetimes(4, 14.0, 50.0))
    assert add_up([None, 3, None, 4]) == 7
    assert add_up([None, None]) is None
    assert add_up([{"a": 1}, {"a": 2}]) == {"a": 3}
    assert dataclasses.asdict(add_up([one])) == dataclasses.asdict(one)


def test_unevenness_is_told():
    even = tuple(Partition(rows, 0.5) for rows in (10, 12, 8, 10))
    skewed = tuple(Partition(rows, 0.5) for rows in (1, 97, 1, 1))
    assert unevenness(even, False) is None
    assert unevenness((), False) is None
    assert unevenness((Partition(0, 0.0),) * 4, False) is None
    assert "partition 1 has 3.9 times the mean of rows: try --balance" in unevenness(skewed, False)
    assert "single key" in unevenness(skewed, True)
    assert "at most 97 (partition 1)" in sharing(skewed)


REFUSED = {
    "band": ({"band": "-1:1"}, "do not|not bands"),
    "inequality": ({"on": "<"}, "only joins on equal keys"),
    "tuples": ({"window": 5, "window_kind": "tuples"}, "window of tuples"),
    "memory": ({"mem": 2}, "memory 2 is too small for 3 partitions"),
    "number": ({"partitions": 0}, "number of partitions is 0"),
    "balance": ({"partitions": None, "balance": True}, "nothing to balance"),
    "jobs": ({"partitions": None, "jobs": 2}, "give --partitions"),
    "no jobs": ({"jobs": 0}, "number of jobs is 0"),
}


@pytest.mark.parametrize(("change", "message"), REFUSED.values(), ids=REFUSED)
def test_refusals(change, message):
    options = {"policy": "fifo", "mem": 9, "partitions": 3} | change
    with pytest.raises(InputError, match=message):
        sj.replay(random_trace(1), **options)


def test_refusals_of_the_optimum():
    trace = random_trace(1)
    for change in ({"whole": True}, {"jobs": 2}, {"partitions": 2, "time_limit": "5s"}):
        with pytest.raises(InputError):
            sj.opt_offline(trace, mem=4, **change)
