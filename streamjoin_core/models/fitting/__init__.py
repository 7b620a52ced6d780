"""Fitting models to streams: one file per kind, each with a function `fit`.

A new kind is a new file here, named like it; nothing else has to know of it. It takes a stream's
arrivals (`_series.Series`) and returns candidates (`_candidate.Candidate`), or raises an InputError
that says why it does not suit them and what would.
"""

from streamjoin_core.models.fitting._found import Fit
from streamjoin_core.models.fitting._kinds import fitters
from streamjoin_core.models.fitting._run import fit

__all__ = ["Fit", "fit", "fitters"]
