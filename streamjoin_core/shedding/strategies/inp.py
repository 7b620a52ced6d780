"""Insert, no probe: all tuples enter memory, and a tuple probes with chance x of its stream.

    most results g_R x_L + g_L x_R within the budget (Eq. 12, 13); see `shedding.chances`

All results cost the same, so both streams may as well have the same chance, and chances by key
would gain nothing. If entering alone is above the budget, nobody probes, and results are none.

Memory does not help here: of the three random strategies this is never the best (Theorem 2, whose
inequality is printed the wrong way round in its proof).

Reference: A. Ayad, J. Naughton, S. Wright, U. Srivastava, Approximating streaming window joins
under CPU limitations, technical report 1542, University of Wisconsin-Madison, 2005, section
3.3 (INP).
"""

import numpy as np

from streamjoin_core.shedding.base import Decision, ShedTask, Strategy, flip_coins
from streamjoin_core.shedding.chances import insert_no_probe
from streamjoin_core.shedding.strategies._random import account, whole_load


def decide(task: ShedTask) -> Decision:
    found = insert_no_probe(whole_load(task), task.costs, task.budget.rate)
    wanted = flip_coins(task, found.of_stream(), np.ones(2))
    return Decision(wanted, found.output, account(found))


STRATEGY = Strategy(
    "inp",
    "probes by lot: all tuples enter, some do not probe",
    "Ayad and others 2005",
    decide,
    is_random=True,
)
