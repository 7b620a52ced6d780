"""The offline optimum: the best schedule that anyone could have kept, replayed like a policy.

    score(x) = the step after which the best schedule lets x go; the lowest goes first

The schedule holds at most `mem` tuples after each step, so whoever must go is one that it has let
go already: the replay gives exactly the optimum. It knows the whole trace, so it is a bound, not a
competitor. Probe-first only.

Parameters: objective, what the schedule makes largest: results or importance.
Cost: one solve (min-cost flow, about linear in arrivals * mem), then O(log mem) per arrival.
References: A. Das, J. Gehrke, M. Riedewald, Approximate join processing over data streams, SIGMOD
2003 (OPT-offline); J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD
2005, section 8.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import JoinTask, run_join
from streamjoin_core.engine.ranked import new_ranking, replay_ranked
from streamjoin_core.optimal import solve
from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.policies.base import Policy


@dataclass(frozen=True)
class Optimal(Parameters):
    objective: str = parameter("results", "what is made largest", choices=("results", "importance"))


def replay_joining(task: JoinTask) -> JoinFacts:
    schedule = solve(task.join, [task.parts], task.params.objective).schedule
    rank = (schedule.leaving_step + 1).astype(np.int32)
    return run_join(task, replay_ranked, new_ranking(task, rank))


POLICY = Policy(
    name="opt",
    summary="whoever the best schedule of all lets go: no policy can do better",
    paper="Das, Gehrke, Riedewald 2003",
    cost="one solve, then O(log mem)",
    joining=replay_joining,
    parameters=Optimal,
    needs=("probe-first",),
    knows_future=True,
)
