"""The fit of a model over a Spark cluster.

Models go by the order of a stream's arrivals and are judged by all of them, so one executor fits:
Spark brings it the trace's rows in their order, and only the model and its scores come back.
"""

from dataclasses import replace
from functools import partial

from streamjoin_core.models.fitting import Fit, fit
from streamjoin_core.progress import Progress
from streamjoin_core.spark.cluster import Cluster
from streamjoin_core.spark.replay import Cut, answers_on
from streamjoin_core.trace.trace import Trace


def fit_on(cluster: Cluster, recording, asked: dict, progress: Progress) -> Fit:
    """What `fit` finds with these options, without residuals."""
    whole = Cut(asked["problem"])
    _, _, _, (found,) = answers_on(cluster, whole, recording, partial(_fit, asked), progress)
    return found


def _fit(asked: dict, cut: Cut, counted: int | None, number: int, trace: Trace) -> Fit:
    found = fit(trace, **asked)
    return replace(found, streams=tuple(stream.without_rows() for stream in found.streams))
