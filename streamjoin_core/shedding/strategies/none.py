"""No strategy: whatever the purse can pay for is done, in order of arrival.

This is what happens to a join that nobody sheds: when the budget is used up, whatever comes next
neither joins nor enters until there is more.

Reference: folklore (tail drop).
"""

from streamjoin_core.shedding.base import Decision, ShedTask, Strategy, everything


def decide(task: ShedTask) -> Decision:
    return Decision(everything(len(task.join.trace)))


STRATEGY = Strategy("none", "whoever comes when the budget is used up", "folklore", decide)
