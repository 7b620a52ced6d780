"""Results over the memory on ROOF: see `_memories`."""

from streamjoin_core.experiments._memories import over_memories

EXPERIMENT = over_memories(10, "roof")
