"""Inspection against its definitions: brute force, plain Python, DuckDB, and hand-worked cases."""

import json
import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamjoin_core.errors import InputError
from streamjoin_core.inspection import inspect
from streamjoin_core.trace import trace_from_arrays
from streamjoin_core.trace.reduce import reduce_caching
from tests.oracle.duck import duck_exact
from tests.oracle.rules import window_pair
from tests.oracle.slow_join import Arrivals, slow_replay
from tests.oracle.strategies import conditions, exact_questions, key_sets, times, traces, windows


def examples(number):
    return settings(max_examples=number, deadline=None, derandomize=True)


def column(values):
    """Strings stay objects, so that an empty column or an empty string keeps its kind."""
    is_text = any(isinstance(value, str) for value in values)
    return np.array(values, dtype=object if is_text else None if values else np.int64)


def as_trace(rows):
    time, stream, key, importance, _ = zip(*rows, strict=True) if rows else ((),) * 5
    labels = np.array(["R", "S"])[list(stream)] if rows else np.array([], "<U1")
    return trace_from_arrays(
        np.array(time, np.int64), column(key), labels, importance=np.array(importance, float)
    )


@st.composite
def questions(draw, max_rows=40):
    """A trace and all options of the joining problem."""
    rows = draw(traces(max_rows))
    return rows, {
        **draw(conditions(numeric=not any(isinstance(row[2], str) for row in rows))),
        "window": draw(st.one_of(st.none(), windows())),
        "window_kind": draw(st.sampled_from(["time", "tuples"])),
        "warmup": draw(st.sampled_from([0, 0, 0, 1, 3, 10])),
    }


class Brute:
    """The join of a question with every pair looked at."""

    def __init__(self, rows, window, window_kind, warmup, on="=", band=None):
        self.join = Arrivals(rows, window_pair(window), window_kind, on, band)
        self.step_of, self.steps = self.join.step_of, self.join.steps
        pairs = self.join.exact_pairs
        self.pairs = [(x, y) for x, y in pairs if self.step_of[y] >= warmup]

    def needed(self, step):
        """Tuples that after this step's keep are in window and have a result to come."""
        return {x for x, y in self.pairs if self.step_of[x] <= step < self.step_of[y]}

    def best(self, mem):
        """The most results of any keeper with so much memory, by trying all choices."""
        pairs = set(self.pairs)
        totals = {frozenset(): 0}
        for step, (_, here) in enumerate(self.steps):
            after = Counter()
            for cached, total in totals.items():
                live = {x for x in cached if self.join.in_window(x, step)}
                total += sum((x, y) in pairs for x in live for y in here)
                candidates = sorted(live | set(here))
                for kept in combinations(candidates, min(mem, len(candidates))):
                    after[frozenset(kept)] = max(after[frozenset(kept)], total)
            totals = after
        return max(totals.values())


def first_time_of_peak(brute, sizes):
    most = max(sizes, default=0)
    return brute.steps[sizes.index(most)][0] if most else None


@examples(500)
@given(questions())
def test_memory_against_its_definition(question):
    rows, options = question
    found = inspect(as_trace(rows), **options).joining
    brute = Brute(rows, **options)
    for step in range(len(brute.steps)):
        assert all(brute.join.in_window(x, step) for x in brute.needed(step))
    needed = [len(brute.needed(step)) for step in range(len(brute.steps))]
    assert found.memory_for_full_recall == max(needed, default=0)
    assert found.memory_for_full_recall_time == first_time_of_peak(brute, needed)
    del options["warmup"]
    held = slow_replay(rows, policy="exact", mem=1, **options)["cached_after_step"]
    sizes = [len(cached) for cached in held]
    assert found.most_in_window == max(sizes, default=0)
    assert found.most_in_window_time == first_time_of_peak(brute, sizes)


@examples(150)
@given(questions(max_rows=8))
def test_that_memory_loses_nothing_and_less_does(question):
    rows, options = question
    memory = inspect(as_trace(rows), **options).joining.memory_for_full_recall
    brute = Brute(rows, **options)
    assert brute.best(memory) == len(brute.pairs)
    if memory:
        assert brute.best(memory - 1) < len(brute.pairs)


@examples(300)
@given(questions())
def test_results_per_tuple(question):
    rows, options = question
    found = inspect(as_trace(rows), **options).joining
    brute = Brute(rows, **options)
    counted = sum(step >= options["warmup"] for step in brute.step_of)
    brought = Counter(y for _, y in brute.pairs)
    waiting = {x for x, _ in brute.pairs}
    assert found.exact == len(brute.pairs)
    assert found.results_per_arrival_mean == (len(brute.pairs) / counted if counted else None)
    assert found.results_per_arrival_max == (max(brought.values(), default=0) if counted else None)
    if rows:
        joining = waiting | set(brought)
        assert found.never_join_share == (len(rows) - len(joining)) / len(rows)
        assert found.nothing_to_come_share == (len(rows) - len(waiting)) / len(rows)


@examples(100)
@given(exact_questions())
def test_exact_results_against_duckdb(question):
    rows, options = question
    options |= {"combine": "min", "count_same_step": False}
    expected = duck_exact(rows, **options)
    del options["combine"], options["count_same_step"]
    found = inspect(as_trace(rows), **options).joining
    assert {name: getattr(found, name) for name in expected} == expected


@examples(200)
@given(traces(), st.integers(0, 5))
def test_streams_and_keys_against_plain_python(rows, top):
    found = inspect(as_trace(rows), top=top)
    moments = [row[0] for row in rows]
    per_step = Counter(moments)
    ends = (moments[0], moments[-1]) if rows else (None, None)
    assert (found.time.first, found.time.last) == ends
    assert found.time.steps == len(per_step)
    assert found.time.arrivals_per_step_max == max(per_step.values(), default=None)
    assert found.time.arrivals_per_step_mean == (len(rows) / len(per_step) if rows else None)
    sides = [{row[2] for row in rows if row[1] == side} for side in range(2)]
    together = {"distinct": len(sides[0] | sides[1]), "both": len(sides[0] & sides[1])}
    assert vars(found.keys) == {"left": len(sides[0]), "right": len(sides[1]), **together}
    for side, stream in enumerate(found.streams):
        own = [row for row in rows if row[1] == side]
        counts = Counter(row[2] for row in own)
        ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
        assert (stream.rows, stream.distinct_keys) == (len(own), len(counts))
        assert [(entry.key, entry.count) for entry in stream.top_keys] == ranked[:top]
        assert [entry.share for entry in stream.top_keys] == [n / len(own) for _, n in ranked[:top]]
        # No more than ten keys, so that a hundredth and a tenth of them are one.
        assert stream.top_1_percent_share == ranked[0][1] / len(own)
        assert stream.top_10_percent_share == ranked[0][1] / len(own)
        gap = (own[-1][0] - own[0][0]) / (len(own) - 1) if len(own) > 1 else None
        assert stream.mean_gap == gap
        span = moments[-1] - moments[0]
        assert stream.rate == (len(own) / (span + 1) if span else None)


@examples(200)
@given(traces().filter(lambda rows: rows and not isinstance(rows[0][2], str)))
def test_trend_against_numpy(rows):
    for side, stream in enumerate(inspect(as_trace(rows)).streams):
        time, key = np.array([(row[0], row[2]) for row in rows if row[1] == side], float).T
        if len(set(time)) == 1:
            assert (stream.trend.slope, stream.trend.r_squared) == (None, None)
            continue
        slope, _ = np.polyfit(time, key, 1)
        assert stream.trend.slope == pytest.approx(slope, abs=1e-9)
        if len(set(key)) == 1:
            assert stream.trend.r_squared is None
        else:
            correlation = np.corrcoef(time, key)[0, 1]
            assert stream.trend.r_squared == pytest.approx(correlation**2, abs=1e-9)


@examples(200)
@given(times(), key_sets(), st.data(), st.sampled_from([0, 0, 1, 3]))
def test_caching_against_plain_python_and_its_reduction(moments, distinct, data, warmup):
    size = len(moments)
    keys = data.draw(st.lists(st.sampled_from(distinct), min_size=size, max_size=size))
    trace = trace_from_arrays(np.array(moments, np.int64), column(keys))
    found = inspect(trace, problem="caching", warmup=warmup).caching
    counted = [row for row in range(size) if moments[row] not in sorted(set(moments))[:warmup]]
    reused = [
        (max(earlier for earlier in range(row) if keys[earlier] == keys[row]), row)
        for row in counted
        if keys[row] in keys[:row]
    ]
    assert (found.references, found.hits) == (len(counted), len(reused))
    assert found.hit_ratio == (len(reused) / len(counted) if counted else None)
    gaps = [moments[later] - moments[earlier] for earlier, later in reused]
    assert found.mean_reuse_time == (sum(gaps) / len(gaps) if gaps else None)
    held = [sum(first <= row < last for first, last in reused) for row in range(size)]
    assert found.memory_for_all_hits == max(held, default=0)
    reduced = inspect(reduce_caching(trace), warmup=size - len(counted)).joining
    assert (reduced.exact, reduced.memory_for_full_recall) == (found.hits, max(held, default=0))


def test_timestamps_are_told_in_seconds():
    milliseconds = np.array([0, 500, 1000, 1000, 2500, 2999], "datetime64[ms]")
    trace = trace_from_arrays(milliseconds, [1, 2, 3, 4, 1, 3], list("RSRSSS"))
    found = inspect(trace, window="2s")
    assert found.time.first == "1970-01-01T00:00:00.000"
    assert (found.time.unit, found.time.duration) == ("s", 2.999)
    left, right = found.streams
    assert (left.rate, left.mean_gap) == (2 / 3, 1.0)
    assert (right.rate, right.mean_gap) == (4 / 3, 0.833)
    assert left.trend.slope == pytest.approx(2)  # key 1 to 3 in a second
    assert (found.joining.exact, found.joining.memory_for_full_recall) == (1, 1)
    assert found.joining.memory_for_full_recall_time == "1970-01-01T00:00:01.000"
    assert found.options["window"] == (2000, 2000)


def skew_of(keys):
    (stream,) = inspect(trace_from_arrays(np.arange(len(keys)), keys), problem="caching").streams
    return stream


def test_zipf_exponent_of_exact_frequencies():
    frequencies = [2520 // rank for rank in range(1, 11)]
    assert skew_of(np.repeat(np.arange(10), frequencies)).zipf_exponent == 1.0
    assert skew_of(np.arange(10) % 5).zipf_exponent == 0.0
    assert skew_of(["a", "a"]).zipf_exponent is None


def test_shares_of_the_most_frequent_keys():
    stream = skew_of(np.repeat(np.arange(200), [100, 50] + [10] * 18 + [1] * 180))
    assert stream.top_1_percent_share == 150 / 510
    assert stream.top_10_percent_share == 330 / 510


def test_sums_beyond_64_bits():
    year = 365 * 86400 * 10**9
    time = np.repeat([0, 100 * year], 50_000)
    trace = trace_from_arrays(time, np.tile(np.arange(50_000), 2), time_unit="ns")
    found = inspect(trace, problem="caching").caching
    assert found.mean_reuse_time == 100 * 365 * 86400
    assert found.memory_for_all_hits == 50_000


@pytest.mark.parametrize("problem", ["joining", "caching"])
def test_empty_trace(problem):
    found = inspect(trace_from_arrays([], [], []), problem=problem)
    assert (found.streams, found.time.steps, found.time.duration) == ((), 0, None)
    assert all(value in (0, None) for value in found.as_dict()[problem].values())


def test_one_stream_alone_joins_nothing():
    found = inspect(trace_from_arrays([1, 2, 3], ["a", "a", "b"], ["R"] * 3), window=1)
    assert [stream.label for stream in found.streams] == ["R"]
    assert (found.joining.exact, found.joining.memory_for_full_recall) == (0, 0)
    assert (found.joining.most_in_window, found.joining.never_join_share) == (2, 1.0)
    assert found.streams[0].trend is None


def test_json_has_no_numbers_that_json_does_not_have():
    keys = [math.inf, -math.inf, 1e308, -1e308]
    metadata = {"score": math.nan, "model": {"R": {"kind": "walk", "drift": 1}, "S": 7}}
    trace = trace_from_arrays([1, 2, 3, 4], keys, list("RSRS"), metadata=metadata)
    found = json.loads(json.dumps(inspect(trace).as_dict(), allow_nan=False))
    assert (found["schema_version"], found["trace"]["rows"]) == (1, 4)
    assert [entry["key"] for entry in found["streams"][0]["top_keys"]] == [1e308, "inf"]
    assert found["streams"][0]["trend"] == {"slope": None, "r_squared": None}
    assert found["metadata"] == {"score": None, "model": {"R": "walk", "S": None}}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"window": "10s"}, "times are integers"),
        ({"window": "1.5", "window_kind": "tuples"}, "is no number of tuples"),
        ({"on": "<", "band": "0:1"}, "a join has one condition"),
        ({"top": 1.5}, "number of top keys is 1.5"),
        ({"problem": "caching", "window": 3}, "caching has no --window"),
        ({"problem": "caching"}, "has two streams"),
    ],
)
def test_refusals(options, words):
    with pytest.raises(InputError, match=words):
        inspect(trace_from_arrays([1, 2], [1, 2], ["R", "S"]), **options)
