"""Uniform: a random sample of the results, in which each has the same chance p.

A tuple draws, when it arrives, with which of the partners it counts on it will give a result; it
enters only if there is any, and leaves after the last (UNIFORM of Srivastava and Widom 2004). p is
the largest whose cost is within the budget (Eq. 23): see `shedding.sampled`. With `charge=results`
only meetings that give a result cost something (Eq. 25). The cost rises with p, which is found by
bisection.

Differences from the paper: it counts on as many partners as are expected. That is right where
arrivals come as if by clockwork. Where they are random many partners come when a tuple no longer
counts on any, so that the results to come late have no chance at all, and those of rare keys hardly
any. So here a tuple counts on so many that at most one result in a thousand is beyond, for which
more tuples enter, and p is smaller. `partners=mean` is the paper's way: its p, and then fewer than
p of all results. Where the purse is empty the sample is not uniform.
References: A. Ayad, J. Naughton, S. Wright, U. Srivastava, Approximating streaming window joins
under CPU limitations, technical report 1542, University of Wisconsin-Madison, 2005, section 4; U.
Srivastava, J. Widom, Memory-limited execution of windowed stream joins, VLDB 2004, section 4.2.
"""

from dataclasses import dataclass

from streamjoin_core.engine.work import PROBES
from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.shedding.base import Decision, Sampling, ShedTask, Strategy, everything
from streamjoin_core.shedding.sampled import counted_on, find_chance, results_counted_on


@dataclass(frozen=True)
class Uniform(Parameters):
    charge: str = parameter(
        "probes",
        "what costs: every partner that is met, or only those that give a result",
        choices=("probes", "results"),
    )
    partners: str = parameter(
        "most",
        "how many a tuple counts on: so many that hardly any is beyond, or the mean (the paper)",
        choices=("most", "mean"),
    )


def decide(task: ShedTask) -> Decision:
    steady, per_result = task.steady, task.params.charge == "results"
    hardly_beyond = task.params.partners == "most"
    chance = find_chance(steady, task.costs, task.budget.rate, per_result, hardly_beyond)
    partners = counted_on(steady.meetings, hardly_beyond)
    wanted = everything(len(task.join.trace))
    if chance == 0:
        wanted[:] = PROBES
    return Decision(
        wanted,
        chance * results_counted_on(steady, partners),
        {"p": chance},
        Sampling(chance, per_result, partners),
    )


STRATEGY = Strategy(
    "uniform",
    "results by lot: a random sample of the join",
    "Srivastava, Widom 2004; Ayad and others 2005",
    decide,
    Uniform,
    is_random=True,
)
