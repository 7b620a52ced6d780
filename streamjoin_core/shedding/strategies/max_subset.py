"""Max-Subset, offline: the most results for the budget of the whole trace.

Definition 5, where any of the results between taken tuples may be left out, or with `induced=yes`
Definition 6, where none is. Solved exactly by integer programming, for tiny traces: both problems
are NP-hard. Taken tuples probe and enter. A replay leaves out no single results but those that the
budget cannot pay for, and gives no fewer than planned: all cost the same, and at worst some tuple
does not enter, which pays for more of them. With a warm-up or a limited memory some do not count.

Both tuples of a result are charged here, as the definitions say. A strategy that lets tuples probe
without entering is charged less, and so may give more: see `most-partners`.

Reference: A. Ayad, J. Naughton, S. Wright, U. Srivastava, Approximating streaming window joins
under CPU limitations, technical report 1542, University of Wisconsin-Madison, 2005, section 3.1.
"""

from dataclasses import dataclass

from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.shedding.base import Decision, ShedTask, Strategy
from streamjoin_core.shedding.graph import join_graph
from streamjoin_core.shedding.strategies._planned import take
from streamjoin_core.shedding.subsets import best_subset


@dataclass(frozen=True)
class MaxSubset(Parameters):
    induced: str = parameter(
        "no",
        "whether all results between taken tuples are wanted",
        choices=("no", "yes"),
    )


def decide(task: ShedTask) -> Decision:
    induced = task.params.induced == "yes"
    found = best_subset(join_graph(task.join), task.costs, task.whole_budget, induced=induced)
    return take(task, found)


STRATEGY = Strategy(
    "max-subset",
    "whoever the best subset does not need, knowing them all (tiny traces)",
    "Ayad and others 2005",
    decide,
    MaxSubset,
    knows_future=True,
)
