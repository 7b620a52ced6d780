"""Results over the memory on FLOOR: see `_memories`."""

from streamjoin_core.experiments._memories import over_memories

EXPERIMENT = over_memories(11, "floor")
