"""Options of a replay, from what a user wrote to checked values."""

import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import floor, isfinite

from streamjoin_core.errors import InputError
from streamjoin_core.trace.units import parse_window

PROBLEMS = ("joining", "caching")
OBJECTIVES = ("results", "importance")
WINDOW_KINDS = ("time", "tuples")
# What has no meaning when there is one stream of references, with its default.
_JOIN_ONLY = {
    "window": None,
    "window_kind": "time",
    "split": None,
    "order": "probe-first",
    "on": "=",
    "band": None,
    "combine": "min",
    "count_same_step": False,
    "age_curve": "learn",
}
_OF_POLICIES = ("life", "alpha", "lookahead", "fit_prefix")
# A trace has fewer rows, so more memory than this holds every trace.
_MOST_MEMORY = 2**31 - 1
_MOST_MEMORIES = 10_000
_SHARE = re.compile(r"[0-9]{1,18}(\.[0-9]{1,18})?")


def one_of(name: str, given, choices: Iterable[str]) -> str:
    """The choice given for an option."""
    if given not in choices:
        raise InputError(f"{name} {given!r} is unknown: choose {' or '.join(choices)}")
    return given


def whole_number(name: str, given, least: int, most: int = 2**63 - 1) -> int:
    """A count or a seed."""
    try:
        number = operator.index(given)
    except TypeError:
        number = None
    if number is None or number < least:
        raise InputError(f"{name} is {given!r}: give a whole number of at least {least}")
    if number > most:
        raise InputError(f"{name} is {given!r}: give at most {most}")
    return number


def parse_share(name: str, given) -> float:
    """A share of something, above 0 and up to the whole.

    >>> parse_share("prefix", "0.2"), parse_share("prefix", 1)
    (0.2, 1.0)
    """
    try:
        share = float(given)
    except (TypeError, ValueError):
        share = 0.0
    if not 0 < share <= 1:
        raise InputError(f"{name} is {given!r}: give a share above 0 and up to 1, such as 0.2")
    return share


def with_join_defaults(given: dict) -> dict:
    """Options of joining by name, those that are not given with their defaults.

    Those that only some policies have may be among them.
    """
    known = (*_JOIN_ONLY, *_OF_POLICIES)
    for name in given:
        if name not in known:
            raise TypeError(f"there is no option {name!r}: choose among {', '.join(known)}")
    return _JOIN_ONLY | given


def refuse_join_options(given: dict) -> None:
    """For the caching problem: options of joining must have their default."""
    refused = [name for name, value in given.items() if value != _JOIN_ONLY[name]]
    if refused:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in refused)
        raise InputError(f"caching has no {names}: leave that out, or choose --problem joining")


def window_of_kind(
    window: str | int | tuple | list | None, kind: str, time_unit: str | None
) -> tuple[int, int] | None:
    """The windows of left and right, in the trace's unit of time or in tuples."""
    if kind == "time":
        return parse_window(window, time_unit)
    try:
        return parse_window(window, None)
    except InputError:
        raise InputError(
            f"window {window!r} is no number of tuples: give W or W_R:W_S such as 100:200"
        ) from None


def parse_memories(given: int | str | Iterable[int | str]) -> tuple[int, ...]:
    """Memory sizes, each once: numbers, lists and ranges with both ends.

    >>> parse_memories(10), parse_memories("5,10,20"), parse_memories("10:50:20,1:3")
    ((10,), (5, 10, 20), (10, 30, 50, 1, 2, 3))
    """
    if isinstance(given, str):
        pieces = given.split(",")
    else:
        pieces = list(given) if isinstance(given, Iterable) else [given]
    sizes = [size for piece in pieces for size in _memory_range(piece)]
    if not sizes:
        raise InputError("no memory is given: give --mem a number of tuples such as 10")
    return tuple(dict.fromkeys(sizes))


def _memory_range(piece: int | str) -> Iterable[int]:
    bounds = [_memory_number(part, piece) for part in str(piece).split(":")]
    if len(bounds) > 3:
        raise _no_memory(piece)
    first, last, step = bounds[0], bounds[min(1, len(bounds) - 1)], (*bounds, 1, 1)[2]
    if first < 1:
        raise InputError(f"memory {piece} is too small: it counts tuples, so give at least 1")
    if last > _MOST_MEMORY:
        raise InputError(f"memory {piece} is more than any trace fills: {_MOST_MEMORY} is plenty")
    if last < first or step < 1:
        raise InputError(f"memory {piece} is an empty range: write FIRST:LAST:STEP as in 10:50:10")
    sizes = range(first, last + 1, step)
    if len(sizes) > _MOST_MEMORIES:
        raise InputError(f"memory {piece} is {len(sizes)} sizes: give a step, such as {piece}:1000")
    return sizes


def _memory_number(part: str, piece) -> int:
    try:
        return int(part)
    except ValueError:
        raise _no_memory(piece) from None


def _no_memory(piece) -> InputError:
    return InputError(
        f"memory {piece!r} is not a number of tuples: give one such as 10, a list such as 5,10,20 "
        "or a range such as 10:50:10"
    )


@dataclass(frozen=True)
class Split:
    """How the memory is divided: one pool, or a share for each stream."""

    text: str
    shares: tuple[Fraction, Fraction] | None  # left and right; None for one pool, or not yet known

    @property
    def is_auto(self) -> bool:
        """Whether the trace is to tell the parts: see `streamjoin_core.age.theory.best_split`."""
        return self.text == "auto"

    def parts(self, mem: int) -> tuple[int, ...]:
        """The sizes of the memory's parts; left is rounded half up, right gets the rest."""
        if self.shares is None:
            return (mem,)
        left_share, right_share = self.shares
        left = floor(mem * left_share / (left_share + right_share) + Fraction(1, 2))
        return left, mem - left


def parse_split(text: str) -> Split:
    """A split: shared, even, a:b, or auto, which depends on the trace.

    >>> parse_split("3:7").parts(5), parse_split("even").parts(5), parse_split("shared").parts(5)
    ((2, 3), (3, 2), (5,))
    """
    if text in ("shared", "auto"):
        return Split(text, None)
    shares = ["1", "1"] if text == "even" else str(text).split(":")
    if len(shares) != 2 or not all(map(_SHARE.fullmatch, shares)):
        raise InputError(
            f"split {text!r} is unknown: choose shared, even or auto, or give shares as 3:7"
        )
    left, right = map(Fraction, shares)
    if left + right == 0:
        raise InputError(f"split {text!r} leaves no memory to anyone: give one side more than 0")
    return Split(text, (left, right))


def parse_band(given: str | tuple | list | None) -> tuple[int | float, int | float] | None:
    """The bounds LO and HI of key_S - key_R.

    >>> parse_band("-1:2.5"), parse_band((0, 1)), parse_band(None)
    ((-1, 2.5), (0, 1), None)
    """
    if given is None:
        return None
    bounds = given.split(":") if isinstance(given, str) else given
    try:
        low, high = map(_finite_number, bounds)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"band {given!r} is not two numbers: write LO:HI, such as -1:1") from None
    if low > high:
        raise InputError(f"band {given!r} is empty: write the lower bound first, such as -1:1")
    return low, high


def _finite_number(given) -> int | float:
    """A number of Python's own kind, so that it can be written as JSON; whole ones stay whole."""
    try:
        number = int(given) if isinstance(given, str) else operator.index(given)
    except (TypeError, ValueError):
        number = float(given)
    if not isfinite(number):
        raise ValueError(given)
    return number
