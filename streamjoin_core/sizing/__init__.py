"""How much memory is needed for what, and what a memory or a time-to-live is good for."""

from streamjoin_core.sizing.need import need
from streamjoin_core.sizing.reach import reach
from streamjoin_core.sizing.ttl import translate_ttl

__all__ = ["need", "reach", "translate_ttl"]
