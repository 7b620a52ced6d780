"""Uniform: a random sample of the results, in which each has the same chance p.

A tuple draws, when it arrives, which of the partners it has to expect it will give a result with;
it enters only if there is any, and leaves after the last (UNIFORM of Srivastava and Widom 2004). A
tuple of stream i with key v expects n = n_i(v) meetings (see `shedding.steady`), rounded up or down
by lot. With q = 1 - p, of the l_i f_i(v) such tuples per unit of time

    1 - q^n  enter, and are met  n - q (1 - q^n) / p  times each,

which gives the cost (Eq. 18-23); `charge=results` lets only meetings that give a result cost
something (Eq. 25). The cost rises with p, which is found by bisection.

Differences from the paper: the results to expect are p times the partners within the first n, and
as often as more, fewer than n come, so that they are a little fewer than p of all. Where the purse
is empty the sample is not uniform.
References: A. Ayad, J. Naughton, S. Wright, U. Srivastava, Approximating streaming window joins
under CPU limitations, technical report 1542, University of Wisconsin-Madison, 2005, section 4; U.
Srivastava, J. Widom, Memory-limited execution of windowed stream joins, VLDB 2004, section 4.2.
"""

from dataclasses import dataclass

from streamjoin_core.engine.work import PROBES
from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.shedding.base import Decision, Sampling, ShedTask, Strategy, everything
from streamjoin_core.shedding.sampled import find_chance, results_within_expected


@dataclass(frozen=True)
class Uniform(Parameters):
    charge: str = parameter(
        "probes",
        "what costs: every partner that is met, or only those that give a result",
        choices=("probes", "results"),
    )


def decide(task: ShedTask) -> Decision:
    per_result = task.params.charge == "results"
    chance = find_chance(task.steady, task.costs, task.budget.rate, per_result)
    wanted = everything(len(task.join.trace))
    if chance == 0:
        wanted[:] = PROBES
    return Decision(
        wanted,
        chance * results_within_expected(task.steady),
        {"p": chance},
        Sampling(chance, per_result),
    )


STRATEGY = Strategy(
    "uniform",
    "results by lot: a random sample of the join",
    "Srivastava, Widom 2004; Ayad and others 2005",
    decide,
    Uniform,
    is_random=True,
)
