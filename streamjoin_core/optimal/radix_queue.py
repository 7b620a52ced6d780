"""A queue of nodes by distance, for searches in which distances only grow.

A node whose distance differs from the present one first in binary digit d, counted from the last,
is in list d. When no node has the present distance, the smallest one in the lowest list becomes it;
all others of that list then go to lower ones. So a node is moved at most once per digit, mostly far
less as differences are small, and distances may be as large as they like. Nodes at the present
distance are a stack: the search goes on from where it has just been.
"""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import inner

_LISTS = 64


class RadixQueue(NamedTuple):
    """Lists are rings, each with a head: node number of nodes + d. The first stays empty."""

    after: np.ndarray  # int32 [node, then head]
    before: np.ndarray  # int32 [node, then head]
    stack: np.ndarray  # int32 [node]
    size: np.ndarray  # int64 [1]: of the stack
    present: np.ndarray  # int64 [1]: distance


def new_queue(number_of_nodes: int) -> RadixQueue:
    alone = np.arange(number_of_nodes + _LISTS, dtype=np.int32)
    return RadixQueue(
        alone,
        alone.copy(),
        np.empty(number_of_nodes, np.int32),
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
    )


@inner
def clear(queue):
    """Back to distance 0, with nobody in the queue."""
    for head in range(len(queue.stack), len(queue.after)):
        queue.after[head] = head
        queue.before[head] = head
    queue.size[0] = 0
    queue.present[0] = 0


@inner
def add(queue, node, distance):
    """Add a node that is not in the queue, at no less than the present distance."""
    difference = distance ^ queue.present[0]
    if difference == 0:
        queue.stack[queue.size[0]] = node
        queue.size[0] += 1
    else:
        head = len(queue.stack)
        while difference > 0:
            head += 1
            difference >>= 1
        first = queue.after[head]
        queue.after[node] = first
        queue.before[node] = head
        queue.before[first] = node
        queue.after[head] = node


@inner
def remove(queue, node):
    """Remove a node that is further away than the present distance."""
    queue.after[queue.before[node]] = queue.after[node]
    queue.before[queue.after[node]] = queue.before[node]


@inner
def pop(queue, label, potential):
    """Take out a node at the smallest distance, label - potential; there must be one."""
    if queue.size[0] == 0:
        _move_on(queue, label, potential)
    queue.size[0] -= 1
    return queue.stack[queue.size[0]]


@inner
def _move_on(queue, label, potential):
    """The smallest distance becomes the present one."""
    head = len(queue.stack) + 1
    while queue.after[head] == head:
        head += 1
    first = queue.after[head]
    smallest = label[first] - potential[first]
    node = queue.after[first]
    while node != head:
        smallest = min(smallest, label[node] - potential[node])
        node = queue.after[node]
    queue.present[0] = smallest
    queue.after[head] = head
    queue.before[head] = head
    node = first
    while node != head:
        following = queue.after[node]
        add(queue, node, label[node] - potential[node])
        node = following
