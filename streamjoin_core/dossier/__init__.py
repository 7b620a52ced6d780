"""All that a report on a trace shows, gathered: a sweep, and the analysis of each policy."""

from streamjoin_core.dossier.gather import Dossier, gather

__all__ = ["Dossier", "gather"]
