"""Results over the memory on TOWER: see `_memories`."""

from streamjoin_core.experiments._memories import over_memories

EXPERIMENT = over_memories(9, "tower")
