"""Coin flipping: a tuple is processed in whole, with chance x of its stream, or not at all.

    most results (g_L + g_R) x_L x_R within the budget (Eq. 10, 11); see `shedding.chances`

The chances are solved for in closed form. With `by=key` each key has its own: some keys are taken
in whole, at most one in part, and the others not at all; which ones is searched for.

Reference: A. Ayad, J. Naughton, S. Wright, U. Srivastava, Approximating streaming window joins
under CPU limitations, technical report 1542, University of Wisconsin-Madison, 2005, section
3.3 (CF); J. Kang, J. Naughton, S. Viglas, Evaluating window joins over unbounded streams, ICDE
2003.
"""

from streamjoin_core.shedding.base import Decision, ShedTask, Strategy, flip_coins
from streamjoin_core.shedding.chances import coin_flipping, coin_flipping_by_key
from streamjoin_core.shedding.strategies._random import ByStreamOrKey, account, whole_load


def decide(task: ShedTask) -> Decision:
    if task.params.by == "key":
        steady = task.steady
        found = coin_flipping_by_key(steady.arrivals, steady.gains, task.costs, task.budget.rate)
    else:
        found = coin_flipping(whole_load(task), task.costs, task.budget.rate)
    chances = found.of_stream()
    return Decision(flip_coins(task, chances, chances), found.output, account(found))


STRATEGY = Strategy(
    "cf",
    "tuples by lot, in whole: they neither probe nor enter",
    "Kang, Naughton, Viglas 2003; Ayad and others 2005",
    decide,
    ByStreamOrKey,
    is_random=True,
)
