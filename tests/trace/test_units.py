"""Durations and windows in trace units."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamjoin_core.errors import InputError
from streamjoin_core.trace import parse_duration, parse_window

PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("500ms", "ms", 500),
        ("10s", "us", 10_000_000),
        ("5m", "s", 300),
        ("2h", "s", 7200),
        ("1d", "ns", 86_400_000_000_000),
        ("7us", "ns", 7000),
        ("7ns", "ns", 7),
        ("1.5h", "s", 5400),
        ("0s", "s", 0),
        (" 10s ", "s", 10),
        ("999ms", "s", 0),
        ("1999us", "ms", 1),
        ("0.1s", "ms", 100),
        (12, None, 12),
        ("12", None, 12),
        (np.int64(12), None, 12),
    ],
)
def test_durations(text, unit, expected):
    assert parse_duration(text, unit) == expected


@given(st.integers(0, 10**6), st.sampled_from(sorted(PER_SECOND)), st.sampled_from(["s", "ms"]))
def test_rounding_down_changes_no_comparison(difference, unit, suffix):
    exact = difference * PER_SECOND[suffix]  # the age in `unit`, times the suffix's scale
    for length in {difference // 2, difference, 3 * difference}:
        window = parse_duration(f"{length}{suffix}", unit)
        assert (difference <= window) == (exact <= length * PER_SECOND[unit])


@pytest.mark.parametrize(
    ("text", "unit", "hint"),
    [
        ("10", "ms", "times are timestamps: give a duration such as 10s"),
        (10, "ms", "times are timestamps"),
        ("10s", None, "times are integers: give a plain number"),
        ("1.5", None, "plain number"),
        ("ten", None, "plain number"),
        ("", "s", "duration"),
        ("10 parsecs", "s", "duration"),
        ("-5", None, "negative"),
        (-5, None, "negative"),
        ("-5s", "s", "negative"),
        (1.5, None, "give a number"),
        (None, None, "give a number"),
        ("9" * 19, None, "longer than any trace"),
        ("9" * 5000, None, "plain number"),
        ("999999999d", "ns", "longer than any trace"),
    ],
)
def test_bad_durations_say_the_way_out(text, unit, hint):
    with pytest.raises(InputError, match=hint):
        parse_duration(text, unit)


@pytest.mark.parametrize(
    ("window", "unit", "expected"),
    [
        (None, None, None),
        (500, None, (500, 500)),
        ("500", None, (500, 500)),
        ("10:15", None, (10, 15)),
        ((10, 15), None, (10, 15)),
        (["1s", "2s"], "ms", (1000, 2000)),
        ("2h:24h", "us", (7_200_000_000, 86_400_000_000)),
        ("0", None, (0, 0)),
    ],
)
def test_windows(window, unit, expected):
    assert parse_window(window, unit) == expected


@pytest.mark.parametrize("window", ["1:2:3", "1:", ":", (), (1, 2, 3), "-1:2", "10s"])
def test_bad_windows(window):
    with pytest.raises(InputError):
        parse_window(window, None)
