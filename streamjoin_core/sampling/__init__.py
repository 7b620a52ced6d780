"""Random samples of a join's result in limited memory, and aggregates estimated from them.

After U. Srivastava, J. Widom, Memory-limited execution of windowed stream joins, VLDB 2004,
section 4. Every result belongs to its earlier tuple, whose results with later ones are a cluster.
"""

from streamjoin_core.sampling.run import sample

__all__ = ["sample"]
