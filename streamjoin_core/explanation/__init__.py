"""Why results were lost: which decisions lost them, and which of them the optimum has."""

from streamjoin_core.explanation.run import explain

__all__ = ["explain"]
