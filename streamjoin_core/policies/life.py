"""LIFE: least frequency times remaining lifetime leaves first.

    score(x) = (arrivals of B so far that would join x) * (a + W - t) / (arrivals of B so far)

for x of stream A that arrived at a, B the other stream, W the window of A and t now; in a window of
tuples, the number of A's arrivals that x will still see takes the place of a + W - t. Statistics
include this step's arrivals. Among equal scores the earlier arrival leaves first.

Needs a window. Tuples of one stream and key share their frequency, and the oldest of them is the
lowest, so keys are ranked by their oldest tuple's score, a line that falls with time, in a kinetic
tournament.

Cost: O(log mem) per arrival, and amortised O(log mem) per change of rank; O(mem) for joins on a
band or an inequality.
Differences from the paper: none; it calls LIFE with past frequencies LIFE_p.
References: A. Das, J. Gehrke, M. Riedewald, Approximate join processing over data streams, SIGMOD
2003 (LIFE); J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005,
sections 1 and 8.
"""

from streamjoin_core.engine.condition import EQUAL
from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import JoinTask, run_join
from streamjoin_core.engine.kinetic import new_lines, replay_lines
from streamjoin_core.engine.scan import new_scan, replay_scan
from streamjoin_core.policies.base import Policy


def replay_joining(task: JoinTask) -> JoinFacts:
    if task.join.rules.condition.kind == EQUAL:
        return run_join(task, replay_lines, new_lines(task), keeps_keys=True)
    return run_join(task, replay_scan, new_scan(task, weighs_remaining=True))


POLICY = Policy(
    name="life",
    summary="the lowest frequency times remaining lifetime",
    paper="Das, Gehrke, Riedewald 2003; Xie, Yang, Chen 2005",
    cost="O(log mem)",
    joining=replay_joining,
    needs=("window",),
)
