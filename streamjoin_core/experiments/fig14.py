"""HIST beside HEEB where the noise is large: see `_histograms`."""

from streamjoin_core.experiments._histograms import learnt

EXPERIMENT = learnt(14, 8.0, "high")
