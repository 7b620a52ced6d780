"""The offline optimum: the best that any policy could have done, with a proof.

    solution = solve(join, [(10,), (20,)])
    [(best.mem, best.lower, best.status) for best in solution.optima]

`solve` gives the optimum for each memory up to the largest, the schedule that reaches it and the
prices of memory that prove it.
"""

from streamjoin_core.optimal.solution import GRAPHS, Optimum, Solution, choose_graph, solve

__all__ = ["GRAPHS", "Optimum", "Solution", "choose_graph", "solve"]
