"""AGE: the tuple that can give results least fast from its age on leaves first.

    score(x) = max over age < j <= W of (C(j) - C(age)) / (j - age)

for x of stream A with its age, its window W and its cumulative age curve C: the results that a
tuple of A has until an age, on average. At age W the score is 0. Ages are in the window's clock;
without a window W is the length of the trace. Among equal scores the earlier arrival leaves first.

For an increasing curve this keeps a tuple to the best age and staggers them, for a decreasing one
it keeps the newest, and it alternates where the curve has minima.

The curve is an input (`--age-curve`): learnt in a pass over the whole trace (`learn`, the default)
or over its beginning (`prefix`), or read from a file. Scores are compared as fractions of counts.

Needs: an age curve.
Cost: O(sqrt(W)) per arrival at most, O(mem) if that is less.
Differences from the paper: both streams may share one memory; ages need not be one arrival apart.
References: U. Srivastava, J. Widom, Memory-limited execution of windowed stream joins, VLDB 2004,
section 3.2 (Strategy 1, its staggering, and the greedy priority, of which both are cases).
"""

from streamjoin_core.age.ranks import rank_ages
from streamjoin_core.age.theory import age_recall
from streamjoin_core.engine.by_age import new_ages, replay_by_age
from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import JoinTask, run_join
from streamjoin_core.policies.base import Policy


def replay_joining(task: JoinTask) -> JoinFacts:
    left, right = task.curves
    ages = new_ages(rank_ages(task.curves), (left.window, right.window), left.granularity)
    return run_join(task, replay_by_age, ages)


def expected_recall(task: JoinTask) -> float | None:
    """Equation 3 of the paper."""
    return age_recall(task.join, task.curves, task.parts)


POLICY = Policy(
    name="age",
    summary="the one that can give results least fast from its age on",
    paper="Srivastava, Widom 2004, §3.2",
    cost="O(min(mem, sqrt(W)))",
    joining=replay_joining,
    needs=("age-curve",),
    theory=expected_recall,
)
