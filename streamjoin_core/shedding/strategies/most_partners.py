"""Most partners, offline: all tuples probe, and those enter that have the most partners to come.

A result needs only its earlier tuple in memory. So each tuple counts by itself, and the offline
problem is easy where probing and entering are apart, while it is NP-hard where a tuple does both or
neither: no shedding gives more results for the same cost over the whole trace. It is the bound that
reports compare all strategies with.

Reference: the offline counterpart of probe-no-insert (Ayad, Naughton, Wright, Srivastava 2005).
"""

import numpy as np

from streamjoin_core.engine.work import ENTERS, PROBES
from streamjoin_core.shedding.base import Decision, ShedTask, Strategy
from streamjoin_core.shedding.strategies._planned import planned
from streamjoin_core.shedding.subsets import most_results


def decide(task: ShedTask) -> Decision:
    later = task.join.unlimited.future
    results, number = most_results(later, task.costs, task.whole_budget)
    wanted = np.full(len(later), PROBES, np.uint8)
    wanted[np.argsort(-later, kind="stable")[:number]] |= ENTERS
    return planned(task, wanted, results, {"tuples": number})


STRATEGY = Strategy(
    "most-partners",
    "tuples that have few partners to come, knowing them all: nobody can do better",
    "offline counterpart of probe-no-insert",
    decide,
    knows_future=True,
)
