"""Probe, no insert: all tuples probe, and a tuple enters memory with chance x of its stream.

    most results g_L x_L + g_R x_R within the budget (Eq. 14, 15); see `shedding.chances`

A linear program, solved by filling up whoever gives the most results per cost. No random strategy
does better (Theorem 3). With `by=key` each stream's key has its own chance: it depends on the key's
frequency in the other stream only, and no way to choose by key does better, Online Max-Subset
included.

Reference: A. Ayad, J. Naughton, S. Wright, U. Srivastava, Approximating streaming window joins
under CPU limitations, technical report 1542, University of Wisconsin-Madison, 2005, section
3.3 (PNI).
"""

import numpy as np

from streamjoin_core.shedding.base import Decision, ShedTask, Strategy, flip_coins
from streamjoin_core.shedding.chances import probe_no_insert, probe_no_insert_by_key
from streamjoin_core.shedding.strategies._random import ByStreamOrKey, account, whole_load


def decide(task: ShedTask) -> Decision:
    if task.params.by == "key":
        steady = task.steady
        found = probe_no_insert_by_key(steady.arrivals, steady.gains, task.costs, task.budget.rate)
    else:
        found = probe_no_insert(whole_load(task), task.costs, task.budget.rate)
    wanted = flip_coins(task, np.ones(2), found.of_stream())
    return Decision(wanted, found.output, account(found))


STRATEGY = Strategy(
    "pni",
    "entering by lot: all tuples probe, some do not enter",
    "Ayad and others 2005",
    decide,
    ByStreamOrKey,
    is_random=True,
)
