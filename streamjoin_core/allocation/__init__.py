"""One memory for several joins, divided so that the worst of them does as well as it can.

After U. Srivastava, J. Widom, Memory-limited execution of windowed stream joins, VLDB 2004,
section 5.
"""

from streamjoin_core.allocation.run import alloc

__all__ = ["alloc"]
