"""Greedy Max-Subset, offline: connected parts of the join with the most results per cost.

    C(G) = results of G / cost of G                      (Eq. 4)
    C(e) = production + update (1 / d_u + 1 / d_v)       (Eq. 3), d the numbers of edges at its ends

The join is a graph of tuples and results. Its connected parts are taken in whole in the order of
C(G) while the budget of the whole trace allows; of the first that does not fit, edges are taken in
the order of their cost C(e), the cheapest first (step 5 of the figure says descendingly, which
would be the dearest first). Taken tuples probe and enter.

Cost: O(rows log rows) and the results of that one part; no other result is looked at.
Reference: A. Ayad, J. Naughton, S. Wright, U. Srivastava, Approximating streaming window joins
under CPU limitations, technical report 1542, University of Wisconsin-Madison, 2005, figure 1.
"""

from streamjoin_core.shedding.base import Decision, ShedTask, Strategy
from streamjoin_core.shedding.graph import join_graph
from streamjoin_core.shedding.strategies._planned import take
from streamjoin_core.shedding.subsets import greedy_subset


def decide(task: ShedTask) -> Decision:
    return take(task, greedy_subset(join_graph(task.join), task.costs, task.whole_budget))


STRATEGY = Strategy(
    "greedy-max-subset",
    "parts of the join that give few results per cost, knowing them all",
    "Ayad and others 2005",
    decide,
    knows_future=True,
)
