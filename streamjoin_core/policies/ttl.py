"""Time to live: a tuple leaves when it is older than a limit; if memory is short, the oldest first.

    leaves when t - arrival > limit of its side;   score(x) = the row of x's arrival

This is the knob of Flink (state TTL) and ksqlDB (WITHIN). What it sends away inside the join's
window is a loss by expiry; a window of the join itself loses nothing.

Cost: O(1) per arrival.
Reference: folklore.
"""

from dataclasses import dataclass

from streamjoin_core.engine.ageing import NO_STATE, replay_oldest_first
from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import JoinTask, run_join
from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.policies.base import Policy
from streamjoin_core.trace.trace import Trace
from streamjoin_core.trace.units import LONGEST, parse_duration


@dataclass(frozen=True)
class TimeToLive(Parameters):
    left: str | None = parameter(None, "how long a left tuple lives (2h, or 20 for integer times)")
    right: str | None = parameter(None, "how long a right tuple lives")


def limits(params: TimeToLive, trace: Trace) -> tuple[int, int]:
    """How long left and right tuples live, in the trace's unit of time."""
    left, right = (
        LONGEST if limit is None else parse_duration(limit, trace.time_unit)
        for limit in (params.left, params.right)
    )
    return left, right


def replay_joining(task: JoinTask) -> JoinFacts:
    time_to_live = limits(task.params, task.join.trace)
    return run_join(task, replay_oldest_first, NO_STATE, time_to_live=time_to_live)


POLICY = Policy(
    name="ttl",
    summary="whoever is older than its limit; then the oldest",
    paper="folklore (Flink, ksqlDB)",
    cost="O(1)",
    joining=replay_joining,
    parameters=TimeToLive,
    check=limits,
    needs_memory=False,
)
