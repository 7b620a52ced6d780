"""Induced Max-Subset, offline: the most results for the budget, all between the tuples taken.

Definition 6, solved exactly by integer programming, for tiny traces: the problem is NP-hard. Taken
tuples probe and enter.

Both tuples of a result are charged here, as the definition says. A strategy that lets tuples probe
without entering is charged less, and so may give more: see `most-partners`.

Reference: A. Ayad, J. Naughton, S. Wright, U. Srivastava, Approximating streaming window joins
under CPU limitations, technical report 1542, University of Wisconsin-Madison, 2005, section 3.1.
"""

from streamjoin_core.shedding.base import Decision, ShedTask, Strategy
from streamjoin_core.shedding.strategies._planned import graph_of, take
from streamjoin_core.shedding.subsets import best_subset


def decide(task: ShedTask) -> Decision:
    found = best_subset(graph_of(task), task.costs, task.whole_budget, induced=True)
    return take(task, found)


STRATEGY = Strategy(
    "induced-max-subset",
    "whoever the best subset does not need (definition 6; tiny traces)",
    "Ayad and others 2005",
    decide,
    knows_future=True,
)
