"""Where the age curves of a replay come from: the trace, its beginning, a file, or the caller."""

import operator
import os
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isfinite, lcm

import numpy as np

from streamjoin_core.age.curve import AgeCurve
from streamjoin_core.age.learn import learn_curves
from streamjoin_core.engine.fractions import SAFE
from streamjoin_core.engine.joining import Join
from streamjoin_core.errors import InputError
from streamjoin_core.files import read_json
from streamjoin_core.options import parse_share

_PREFIX = 0.2  # of the rows, if no share is given
_LARGEST_DENOMINATOR = 10**7
_GRANULARITY = "granularity"  # beside the streams' labels in a file


@dataclass(frozen=True)
class CurveSource:
    """What the user asked for, checked as far as that goes without the trace."""

    kind: str  # learn, prefix or given
    share: float = 1.0  # of the rows that are looked at
    entries: dict | None = None  # p(1), p(2), ... by stream label
    granularity: int = 1
    name: str = "the age curve"


def parse_source(given: str | os.PathLike | dict) -> CurveSource:
    """learn, prefix, prefix:SHARE, the path of a file, or what such a file holds."""
    if isinstance(given, dict):
        return _checked(given, "the age curve")
    text = str(given)
    if text == "learn":
        return CurveSource("learn")
    kind, colon, share = text.partition(":")
    if kind == "prefix":
        return CurveSource("prefix", parse_share("prefix", share) if colon else _PREFIX)
    return _checked(read_json(text, "age curve"), f"age curve {text}")


def source_text(source: CurveSource) -> str | dict:
    """What `parse_source` makes the same of.

    >>> source_text(parse_source("prefix:0.5")), source_text(parse_source({"R": [0.5, 0.25]}))
    ('prefix:0.5', {'R': [0.5, 0.25], 'granularity': 1})
    """
    if source.kind == "given":
        return {**source.entries, _GRANULARITY: source.granularity}
    return source.kind if source.kind == "learn" else f"{source.kind}:{source.share}"


def _checked(content, name: str) -> CurveSource:
    if not isinstance(content, dict) or not content:
        raise InputError(f'{name} has no list per stream: write {{"R": [p(1), p(2), ...], ...}}')
    entries = {str(label): entry for label, entry in content.items()}
    granularity = entries.pop(_GRANULARITY, 1)
    try:
        granularity = operator.index(granularity)
    except TypeError:
        granularity = 0
    if granularity < 1:
        raise InputError(f"{name} has no whole granularity of at least 1: correct it")
    for label, entry in entries.items():
        is_list = isinstance(entry, list | tuple | np.ndarray)
        if not is_list or not all(map(_is_share, entry)):
            raise InputError(f"{name}, stream {label!r}: give a list of numbers of 0 or more")
    return CurveSource("given", entries=entries, granularity=granularity, name=name)


def _is_share(value) -> bool:
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return is_number and isfinite(value) and value >= 0


def find_curves(source: CurveSource, join: Join) -> tuple[AgeCurve, AgeCurve]:
    """The curves of the left and the right stream."""
    if source.kind == "learn":
        return learn_curves(join)
    if not join.has_window:
        raise InputError(
            "without a window only the whole trace tells how old tuples become: give --window, or "
            "--age-curve learn"
        )
    if source.kind == "prefix":
        return learn_curves(join, until=rows_of_prefix(join.rows.time, source.share))
    return _given_curves(source, join)


def rows_of_prefix(time: np.ndarray, share: float) -> int:
    """The rows in the first share of them, with the step that is cut taken whole."""
    rows = ceil(len(time) * share)
    return int(np.searchsorted(time, time[rows - 1], "right")) if rows else 0


def account(source: CurveSource, join: Join, curves: tuple[AgeCurve, AgeCurve]) -> dict:
    """What a report tells of the curves."""
    rows = len(join.trace)
    if source.kind == "prefix":
        rows = rows_of_prefix(join.rows.time, source.share)
    return {
        "source": source.kind,
        "rows": None if source.kind == "given" else rows,
        "granularity": curves[0].granularity,
        "best_age": [curve.best_age for curve in curves],
    }


def _given_curves(source: CurveSource, join: Join) -> tuple[AgeCurve, AgeCurve]:
    labels = [str(label) for label in join.trace.labels]
    unknown = [label for label in source.entries if label not in labels]
    if len(labels) + len(unknown) > 2:
        raise InputError(
            f"{source.name} names stream {unknown[-1]!r}, but the streams are "
            f"{' and '.join(map(repr, labels))}: name its lists like them"
        )
    curves = []
    for stream, window in enumerate(join.rules.window.tolist()):
        if stream < len(labels):
            counts, tuples = _counts(_entry(source, labels[stream], window))
        else:
            counts, tuples, window = np.zeros(0, np.int64), 1, 0  # nobody ever has an age
        curves.append(AgeCurve(counts, tuples, window, source.granularity))
    return tuple(curves)


def _entry(source: CurveSource, label: str, window: int):
    if label not in source.entries:
        raise InputError(f"{source.name} has no list for stream {label!r}: add it")
    entry = source.entries[label]
    wanted = ceil(window / source.granularity)
    if len(entry) != wanted:
        raise InputError(
            f"{source.name} has {len(entry)} ages for stream {label!r}, but its window has "
            f"{wanted}: give as many, or the window that the curve is for"
        )
    return entry


def _counts(shares) -> tuple[np.ndarray, int]:
    """Whole counts and the number to divide them by, as exact as the numbers are written.

    A number that is a count over so many tuples, as learnt curves are, is taken as that.
    """
    numbers = [float(share) for share in shares]
    fractions = [Fraction(number).limit_denominator(_LARGEST_DENOMINATOR) for number in numbers]
    common = lcm(*(fraction.denominator for fraction in fractions)) if fractions else 1
    is_exact = all(map(operator.eq, map(float, fractions), numbers))
    if not is_exact or common > _LARGEST_DENOMINATOR:
        fractions = [Fraction(repr(number)) for number in numbers]
        common = lcm(*(fraction.denominator for fraction in fractions))
    counts = [int(fraction * common) for fraction in fractions]
    is_safe = sum(counts) * (len(counts) + 1) < SAFE
    return np.array(counts, np.int64 if is_safe else object), common
