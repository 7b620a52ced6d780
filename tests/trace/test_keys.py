"""Dense key ids: ascending with the value, exact for every type."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamjoin_core.trace import keys, trace_from_arrays
from streamjoin_core.trace.keys import DictionaryEncoder
from streamjoin_core.trace.keytable import TableEncoder

INT64 = st.integers(-(2**63), 2**63 - 1)
NUMBERS = st.floats(allow_nan=False)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)


def trace_of(column):
    return trace_from_arrays(np.zeros(len(column), np.int64), column)


@given(st.lists(INT64 | st.sampled_from([0, 1, 2**53, 2**53 + 1]), max_size=50))
def test_integers_are_never_rounded(values):
    trace = trace_of(pa.array(values, pa.int64()))
    assert trace.key_values.tolist() == sorted(set(values))
    assert trace.key_values[trace.key].tolist() == values
    assert trace.key_values.dtype == np.int64


@given(st.lists(NUMBERS | st.sampled_from([0.0, -0.0]), max_size=50))
def test_doubles(values):
    trace = trace_of(pa.array(values, pa.float64()))
    assert trace.key_values.tolist() == sorted(set(values))
    assert trace.key_values[trace.key].tolist() == values
    assert not np.signbit(trace.key_values[trace.key_values == 0]).any()


@given(st.lists(TEXT, max_size=50), st.sampled_from(["string", "large_string", "dictionary"]))
def test_strings_ascend_by_code_point(values, form):
    column = pa.array(values, pa.large_string() if form == "large_string" else pa.string())
    trace = trace_of(column.dictionary_encode() if form == "dictionary" else column)
    assert trace.key_values.tolist() == sorted(set(values))
    assert trace.key_values[trace.key].tolist() == values
    assert not trace.numeric_keys


@settings(deadline=None)  # the first call may compile
@given(st.lists(st.lists(st.integers(-5, 5) | INT64, max_size=30), max_size=5))
def test_hash_table_gives_the_same_ids_as_the_dictionary(batches):
    results = []
    for encoder in (DictionaryEncoder(np.int64), TableEncoder(np.int64)):
        parts = [encoder.encode(np.array(batch, np.int64)) for batch in batches]
        ids = np.concatenate([np.empty(0, np.int32), *parts])
        results.append((encoder.finish(ids).tolist(), ids.tolist()))
    assert results[0] == results[1]


@pytest.mark.parametrize("scale", [1, 2**32, 2**44])
def test_hash_table_grows(scale):
    values = np.random.default_rng(1).permutation(60_000) * scale
    encoder = TableEncoder(np.int64)
    ids = np.concatenate([encoder.encode(part) for part in np.array_split(values, 7)])
    np.testing.assert_array_equal(encoder.finish(ids)[ids], values)


def test_hash_table_takes_doubles():
    encoder = TableEncoder(np.float64)
    ids = encoder.encode(np.array([1.5, -2.0, 1.5, np.inf]))
    assert encoder.finish(ids).tolist() == [-2.0, 1.5, np.inf]
    assert ids.tolist() == [1, 0, 1, 2]


def test_large_and_small_traces_are_read_alike(monkeypatch):
    values = np.random.default_rng(2).integers(-50, 50, 1000)
    small = [trace_of(values), trace_of(values / 4)]
    monkeypatch.setattr(keys, "SMALL_ROWS", 0)
    large = [trace_of(values), trace_of(values / 4)]
    assert [trace.fingerprint for trace in small] == [trace.fingerprint for trace in large]


@pytest.mark.parametrize(
    "type_",
    [
        *(pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
        *(pa.date32(), pa.date64(), pa.timestamp("ns"), pa.timestamp("s", "UTC"), pa.time32("s")),
    ],
)
def test_integers_of_all_widths_and_times_are_keys(type_):
    stored = pa.array([100, 3, 100], pa.int32() if type_.bit_width == 32 else pa.int64())
    column = stored.cast(type_) if pa.types.is_integer(type_) else stored.view(type_)
    trace = trace_of(column)
    assert trace.key_values.tolist() == [3, 100]
    assert trace.key_values.dtype == np.int64


@pytest.mark.parametrize("type_", [pa.float16(), pa.float32()])
def test_narrow_floats_are_keys(type_):
    assert trace_of(pa.array(np.array([0.5, -1.0]), type_)).key_values.tolist() == [-1.0, 0.5]


def test_dictionary_of_integers_is_integers():
    column = pa.DictionaryArray.from_arrays(pa.array([1, 0, 1]), pa.array([2**60, 5]))
    assert trace_of(column).key_values.tolist() == [5, 2**60]


def test_dictionary_with_unused_and_repeated_strings():
    column = pa.DictionaryArray.from_arrays(pa.array([3, 0, 1]), pa.array(["b", "a", "z", "b"]))
    trace = trace_of(column)
    assert trace.key_values.tolist() == ["a", "b"]
    assert trace.key.tolist() == [1, 1, 0]
