"""Tournament trees: the smallest of many numbers, when one of them changes at a time.

Leaves are numbered from 0; node 1 is the root, and node i has the children 2i and 2i + 1. A change
walks up from its leaf only as long as it makes a difference.
"""

import numpy as np

from streamjoin_core.engine.compiled import inner

EMPTY = np.iinfo(np.int64).max
ROW_BITS = 31  # rows are below 2**31, and so are counts and ranks: both fit into one int64


def new_trees(number: int, leaves: int) -> np.ndarray:
    """Trees [tree, node] for at least so many leaves each, all of them EMPTY."""
    width = 1 << max(0, leaves - 1).bit_length()
    return np.full((number, 2 * width), EMPTY, np.int64)


@inner
def priority(score, row):
    """Orders by a whole score below 2**31, and among equals by row."""
    return (np.int64(score) << ROW_BITS) | np.int64(row)


@inner
def row_of(priority):
    return priority & ((np.int64(1) << ROW_BITS) - 1)


@inner
def score_of(priority):
    return priority >> ROW_BITS


@inner
def set_leaf(trees, tree, leaf, value):
    node = (trees.shape[1] >> 1) + leaf
    trees[tree, node] = value
    while node > 1:
        smaller = min(trees[tree, node], trees[tree, node ^ 1])
        node >>= 1
        if trees[tree, node] == smaller:
            break
        trees[tree, node] = smaller


@inner
def smallest(trees, tree):
    """The smallest number of a tree."""
    return trees[tree, 1]


@inner
def smallest_leaf(trees, tree):
    """The leaf that holds the smallest number; numbers are distinct."""
    width = trees.shape[1] >> 1
    node = 1
    while node < width:
        node *= 2
        if trees[tree, node] != trees[tree, 1]:
            node += 1
    return node - width
