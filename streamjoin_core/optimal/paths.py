"""Successive shortest paths through time: what the flows of both graphs have in common.

Each unit of memory takes the path from the first step to the last that gains most, given what the
units before it do: along arcs that have room, or backwards along arcs that are in use, which takes
their gain back. So a unit's gain is what one more unit of memory is worth, and no unit gains more
than the one before it. One solution for the largest memory has those for all smaller ones.

Labels are distances from the first step, the negative of gains. The earliest step that has a label
to pass on goes first. Most arcs lead forwards in time, so few labels are corrected after they were
passed on, and memory is read in the order in which it lies: faster than a queue that is ordered by
distance, which for most units is nearly the same order. Going back for every correction has no good
bound in the worst case. So when steps have been passed on too often, corrections wait until the
walk has been to the end, and the bound is that of Bellman and Ford.
"""

import numpy as np

from streamjoin_core.engine.compiled import inlined

FAR = 2**62
NODE = 1  # bit: a step has a label to pass on
PATIENCE = 20  # how often steps are passed on, on average, before corrections wait


@inlined
def add_units(flow, search, until, state, pass_on, follow):
    """Add units up to so many, unless the next one gains nothing.

    pass_on(state, step)    pass on whatever is pending of the step; the earliest step that has
                            something pending since, or the step itself
    follow(state)           change the flow along the path found
    """
    steps = len(search.pending)
    while flow.units[0] < until:
        for node in range(len(flow.label)):
            flow.label[node] = FAR
        flow.label[0] = 0
        search.pending[0] = NODE
        now = 0
        waiting = steps  # the earliest step that was not gone back to
        patience = PATIENCE * steps
        while now < steps:
            if search.pending[now] != 0:
                earliest = pass_on(state, now)
                patience -= 1
                if patience > 0:
                    now = earliest
                else:
                    waiting = min(waiting, earliest)
            else:
                now += 1
                if now == steps:
                    now, waiting = waiting, np.int64(steps)
        gain = -flow.label[steps - 1]
        if gain == 0:
            break
        follow(state)
        flow.gains[flow.units[0]] = gain
        flow.units[0] += 1
