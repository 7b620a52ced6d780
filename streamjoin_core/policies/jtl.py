"""Join to live: a tuple leaves once it has given n results; if memory is short, the oldest first.

    leaves at the end of the step in which matches(x) ≥ n;   score(x) = the row of x's arrival

An arrival's own matches count too, so it may leave before it ever takes memory. One step can give
more than n results: they all happen at once. What is missed afterwards is a loss by expiry.

Cost: O(1 + results) per arrival.
Reference: folklore.
"""

from dataclasses import dataclass

from streamjoin_core.engine.ageing import NO_STATE, replay_oldest_first
from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import JoinTask, run_join
from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.policies.base import Policy


@dataclass(frozen=True)
class JoinToLive(Parameters):
    n: int = parameter(1, "results after which a tuple leaves", least=1)


def replay_joining(task: JoinTask) -> JoinFacts:
    return run_join(task, replay_oldest_first, NO_STATE, join_to_live=task.params.n)


POLICY = Policy(
    name="jtl",
    summary="whoever has given n results; then the oldest",
    paper="folklore",
    cost="O(1 + results)",
    joining=replay_joining,
    parameters=JoinToLive,
    needs_memory=False,
)
