"""Traces of a few rows, written as words."""

import numpy as np

import streamjoin_core as sj


def trace(text: str, **columns) -> sj.Trace:
    """A trace of words like 3Ra: time, stream, key."""
    words = text.split()
    return sj.trace_from_arrays(
        np.array([int(word[:-2]) for word in words], np.int64),
        np.array([word[-1] for word in words], object),
        [word[-2] for word in words],
        **columns,
    )


def references(keys, **columns) -> sj.Trace:
    return sj.trace_from_arrays(np.arange(len(keys)), np.array(list(keys), object), **columns)


SMALL = trace("1Ra 2Rb 3Sa 4Sb 5Ra 6Sa")
STATIONARY = {"kind": "stationary", "pmf": {"a": 0.75, "b": 0.25}}
