"""Durations and windows in a trace's own unit of time."""

import operator
import re

import numpy as np

from streamjoin_core.errors import InputError

_NANOSECONDS = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86400 * 10**9,
}
UNITS_PER_SECOND = {None: 1, "s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_WHOLE = re.compile(r"(-?)([0-9]{1,20})")
_DURATION = re.compile(r"(-?)([0-9]{1,20})(?:\.([0-9]{1,20}))?(ns|us|ms|s|m|h|d)")

# No trace lasts that long, so differences and sums with it stay within int64.
LONGEST = 2**62


def parse_duration(text: str | int, unit: str | None, *, rounded_up: bool = False) -> int:
    """A length of time in units of the trace, rounded down, or up if asked.

    Times are whole numbers of the unit, so rounding down changes no comparison `t - a <= W`.

    >>> parse_duration("1.5s", "ms"), parse_duration("500ms", "s"), parse_duration("12", None)
    (1500, 0, 12)
    """
    text = _as_text(text)
    if unit is None:
        found = _WHOLE.fullmatch(text)
        if not found:
            raise InputError(
                f"{text!r} is no length of time here: times are integers: give a plain number "
                "such as 10"
            )
        sign, length = found[1], int(found[2])
    else:
        found = _DURATION.fullmatch(text)
        if not found:
            raise InputError(
                f"{text!r} is no length of time here: times are timestamps: give a duration such "
                "as 10s (units: ns, us, ms, s, m, h, d)"
            )
        sign, whole, fraction, suffix = found[1], found[2], found[3] or "", found[4]
        nanoseconds = int(whole + fraction) * _NANOSECONDS[suffix]
        one = _NANOSECONDS[unit] * 10 ** len(fraction)
        length = -(-nanoseconds // one) if rounded_up else nanoseconds // one
    if sign:
        raise InputError(f"{text!r} is negative: a length of time is 0 or more")
    if length >= LONGEST:
        raise InputError(f"{text!r} is longer than any trace: give a shorter time or none")
    return length


def parse_window(window: str | int | tuple | list | None, unit: str | None):
    """The windows (W_R, W_S) of the left and right stream, or None for the regular join.

    >>> parse_window("10:15", None), parse_window("2h:24h", "s"), parse_window(500, None)
    ((10, 15), (7200, 86400), (500, 500))
    """
    if window is None:
        return None
    parts = list(window) if isinstance(window, tuple | list) else _as_text(window).split(":")
    if len(parts) not in (1, 2):
        raise InputError(f"{window!r} is no window: give W, or W_R:W_S for left and right")
    lengths = [parse_duration(part, unit) for part in parts]
    return lengths[0], lengths[-1]


def format_time(time: int, unit: str | None) -> str:
    """A time of the trace as a person reads it."""
    return str(time) if unit is None else str(np.datetime64(int(time), unit))


def _as_text(given) -> str:
    if isinstance(given, str):
        return given.strip()
    try:
        return str(operator.index(given))
    except TypeError:
        raise InputError(f"{given!r} is no length of time: give a number or a text") from None
