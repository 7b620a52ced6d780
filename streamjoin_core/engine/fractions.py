"""Comparing products of whole numbers exactly, even where they pass 64 bits.

Scores are fractions such as count * remaining / arrivals. Ties decide runs, so they are compared
crosswise as whole numbers, never as rounded quotients.
"""

import numpy as np

from streamjoin_core.engine.compiled import inner

SAFE = 2**62
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@inner
def compare_products(one, other, one_factor, other_factor, is_safe):
    """The sign of one * one_factor - other * other_factor, where one and other are not negative.

    `is_safe` says that no product passes SAFE.
    """
    if is_safe:
        return _sign(one * one_factor - other * other_factor)
    sign = _sign(one_factor) if one > 0 else 0
    other_sign = _sign(other_factor) if other > 0 else 0
    if sign != other_sign:
        return 1 if sign > other_sign else -1
    high, low = _wide(one, abs(one_factor))
    other_high, other_low = _wide(other, abs(other_factor))
    if high == other_high and low == other_low:
        return 0
    is_larger = high > other_high or (high == other_high and low > other_low)
    return sign if is_larger else -sign


@inner
def _sign(number):
    if number > 0:
        return 1
    return -1 if number < 0 else 0


@inner
def _wide(a, b):
    """The product of two numbers below 2**63 as high and low 64 bits."""
    a, b = np.uint64(a), np.uint64(b)
    a_high, a_low = a >> _HALF, a & _LOW
    b_high, b_low = b >> _HALF, b & _LOW
    low = a_low * b_low
    middle = a_high * b_low + (low >> _HALF)
    carry = (middle & _LOW) + a_low * b_high
    high = a_high * b_high + (middle >> _HALF) + (carry >> _HALF)
    return high, (carry << _HALF) | (low & _LOW)
