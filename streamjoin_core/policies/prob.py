"""PROB: the tuple least likely to join an arrival of the other stream leaves first.

    score(x) = (arrivals of B so far that would join x) / (arrivals of B so far)

for x of stream A and B the other stream, all arrivals counted (dropped and expired ones too, this
step's included); 0 before B's first arrival. Where a stationary model of B is known, from the user
or from the trace, its probability of a key that joins x takes the place of the frequency. Among
equal scores the earlier arrival leaves first.

Tuples of one stream and key share their score, so keys are ranked, and within a key by age.

Cost: O(log mem) per arrival; O(mem) for joins on a band or an inequality.
Differences from the paper: none; it calls PROB with past frequencies PROB_p.
References: A. Das, J. Gehrke, M. Riedewald, Approximate join processing over data streams, SIGMOD
2003 (PROB); J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005,
sections 1 and 8; D. Kulkarni, C. V. Ravishankar, iJoin, SSDBM 2008 (SIZE).
"""

from streamjoin_core.age.theory import frequency_recall
from streamjoin_core.engine.condition import EQUAL
from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import JoinTask, run_join
from streamjoin_core.engine.keyed import new_keyed, replay_keyed
from streamjoin_core.engine.scan import new_scan, replay_scan
from streamjoin_core.models.known import known_probabilities
from streamjoin_core.policies.base import Policy


def replay_joining(task: JoinTask) -> JoinFacts:
    known = known_probabilities(task.join, task.model)
    if known is not None or task.join.rules.condition.kind == EQUAL:
        return run_join(task, replay_keyed, new_keyed(task, known), keeps_keys=True)
    return run_join(task, replay_scan, new_scan(task, weighs_remaining=False))


def expected_recall(task: JoinTask) -> float | None:
    """Srivastava and Widom 2004, section 3.3."""
    return frequency_recall(task.join, task.parts)


POLICY = Policy(
    name="prob",
    summary="the least likely to join, by past frequency or a known model",
    paper="Das, Gehrke, Riedewald 2003; Xie, Yang, Chen 2005",
    cost="O(log mem)",
    joining=replay_joining,
    aliases=("size",),
    theory=expected_recall,
)
