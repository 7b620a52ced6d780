"""The offline optimum against brute force, other solvers, policies and its own certificate."""
