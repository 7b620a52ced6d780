"""A gate: bounds that replays must hold, and a baseline that they must not fall behind."""

from streamjoin_core.gate.run import check, check_baseline

__all__ = ["check", "check_baseline"]
