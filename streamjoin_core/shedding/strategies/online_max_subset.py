"""Online Max-Subset: keys with the most results per cost are joined in whole, the others not.

    P(v) = (g_L(v) + g_R(v)) / C(v)   (Eq. 5-8)

with C(v) the cost of all tuples and results of key v; see `shedding.steady`.

Keys are taken in the order of P while their cost fits. The first key that does not fit gets what is
left of the budget by probe-no-insert: its tuples probe, and enter with the chances that are best.
All others are dropped. Frequencies are known, or learnt from the first rows of the trace.

Reference: A. Ayad, J. Naughton, S. Wright, U. Srivastava, Approximating streaming window joins
under CPU limitations, technical report 1542, University of Wisconsin-Madison, 2005, figure 2.
"""

import numpy as np

from streamjoin_core.shedding.base import Decision, ShedTask, Strategy, flip_coins
from streamjoin_core.shedding.chances import Load, probe_no_insert, take_whole


def decide(task: ShedTask) -> Decision:
    steady, costs = task.steady, task.costs
    gains = steady.gains.sum(axis=0)
    key_costs = costs.total(steady.arrivals.sum(axis=0), gains)
    whole, boundary, left_over = take_whole(gains, key_costs, task.budget.rate)
    enters = np.tile(whole.astype(float), (2, 1))
    probes = enters.copy()
    output = float(gains[whole].sum())
    if boundary is not None:
        load = Load(tuple(steady.arrivals[:, boundary]), tuple(steady.gains[:, boundary]))
        found = probe_no_insert(load, costs, left_over)
        enters[:, boundary] = found.left, found.right
        probes[:, boundary] = 1
        output += found.output
    return Decision(flip_coins(task, probes, enters), output, _account(task, whole, boundary))


def _account(task: ShedTask, whole: np.ndarray, boundary: int | None) -> dict:
    keys = task.join.trace.key_values
    name = None if boundary is None else str(keys[boundary])
    return {"keys_whole": int(whole.sum()), "keys": len(keys), "boundary_key": name}


STRATEGY = Strategy(
    "online-max-subset",
    "keys that give few results per cost",
    "Ayad and others 2005",
    decide,
    is_random=True,
)
