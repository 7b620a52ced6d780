"""Results over the memory on WALK: see `_memories`."""

from streamjoin_core.experiments._memories import over_memories

EXPERIMENT = over_memories(12, "walk")
