"""HIST beside HEEB where the noise is small: see `_histograms`."""

from streamjoin_core.experiments._histograms import learnt

EXPERIMENT = learnt(13, 1.0, "low")
