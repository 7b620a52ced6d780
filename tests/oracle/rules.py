"""Rules that every oracle shares: when keys join, how memory is split, how chance is drawn."""

import operator
from fractions import Fraction

COMPARISONS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">=": operator.ge,
    ">": operator.gt,
}
COMBINATIONS = {"min": min, "max": max, "sum": operator.add, "product": operator.mul}


def keys_join(left_key, right_key, on="=", band=None) -> bool:
    """Whether a left and a right key join: left on right, or right minus left in the band."""
    if band is None:
        return COMPARISONS[on](left_key, right_key)
    low, high = band
    return low <= right_key - left_key <= high


def window_pair(window):
    """The windows of the left and the right stream, or None for the regular join."""
    if window is None or isinstance(window, tuple):
        return window
    return (window, window)


def memory_parts(mem, split):
    """Memory parts as (size, streams in it), in the order in which they are served."""
    if split == "shared":
        return [(mem, (0, 1))]
    a, b = (1, 1) if split == "even" else map(int, split.split(":"))
    left = int(Fraction(mem * a, a + b) + Fraction(1, 2))
    return [(left, (0,)), (mem - left, (1,))]


def split_mix(seed):
    """A generator of 64-bit words: splitmix64 from this seed."""
    mask = 2**64 - 1
    state = seed & mask
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield z ^ (z >> 31)


def draw(words, n) -> int:
    """A number in [0, n), from the high half of the next word."""
    return ((next(words) >> 32) * n) >> 32


def swap_remove(array, position) -> None:
    """Remove one element; the last one moves into the hole."""
    last = array.pop()
    if position < len(array):
        array[position] = last


def jain(lifetimes):
    """Jain's index, None when nobody left or all lifetimes are 0."""
    squares = sum(life * life for life in lifetimes)
    return None if squares == 0 else float(Fraction(sum(lifetimes) ** 2, len(lifetimes) * squares))


def share(part, whole):
    """part / whole rounded once, None when the whole is 0."""
    return None if whole == 0 else float(Fraction(part) / Fraction(whole))
