"""The fit of a model to a trace's streams."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.models.fitting._candidate import Candidate
from streamjoin_core.models.fitting._found import Fit, StreamFit
from streamjoin_core.models.fitting._goodness import goodness, residuals
from streamjoin_core.models.fitting._kinds import fitters
from streamjoin_core.models.fitting._series import Series, series_of
from streamjoin_core.options import PROBLEMS, one_of, parse_share
from streamjoin_core.progress import Progress, silent
from streamjoin_core.trace.given import as_trace
from streamjoin_core.trace.trace import Trace
from streamjoin_core.version import installed_version

if TYPE_CHECKING:
    import pyarrow as pa

    from streamjoin_core.spark.cluster import Cluster
    from streamjoin_core.trace.read import Recording

CRITERIA = ("aic", "bic")
_FEWEST = 10  # arrivals that tell anything


def fit(
    trace: "Trace | pa.Table | str | os.PathLike | Recording | Callable[[], Trace]",
    *,
    stream: str | int | bool | None = None,
    kind: str = "auto",
    criterion: str = "bic",
    prefix: str | float = 1.0,
    problem: str = "joining",
    spark: "Cluster | None" = None,
    progress: Progress | None = None,
) -> Fit:
    """Fit a model to each stream of a trace, or to the one named, by maximum likelihood.

    Of all kinds that suit (`kind="auto"`) the one with the smallest AIC or BIC is chosen. Every
    likelihood is that of the discretised model, so they compare. Only the first rows are used,
    `prefix` of all. The result's `model` is what `replay` takes as its model. With `spark` an
    executor of the cluster fits, to a trace that is a path or a `Recording`, and keeps residuals.

    >>> from streamjoin_core import generate
    >>> fit(generate("tower", steps=500, seed=1)).model["R"]["slope"]
    1.0
    """
    one_of("kind", kind, ("auto", *fitters()))
    one_of("criterion", criterion, CRITERIA)
    one_of("problem", problem, PROBLEMS)
    share = parse_share("prefix", prefix)
    if spark is not None:
        from streamjoin_core.spark.fit import fit_on

        asked = {"stream": stream, "kind": kind, "criterion": criterion, "prefix": prefix}
        return fit_on(spark, trace, asked | {"problem": problem}, progress or silent)
    trace = as_trace(trace, problem, progress or silent)
    rows = prefix_rows(trace, share)
    chosen = _streams(trace, stream)
    fits = []
    for number, side in enumerate(chosen):
        (progress or silent)("fitting", number, len(chosen))
        fits.append(_fit_stream(trace, side, rows, kind, criterion, problem == "caching"))
    return Fit(
        sjoin=installed_version(),
        trace={"path": trace.origin, "rows": len(trace), "fingerprint": trace.fingerprint},
        options={
            "problem": problem,
            "stream": None if stream is None else str(stream),
            "kind": kind,
            "criterion": criterion,
            "prefix": share,
        },
        rows=rows,
        steps=len(np.unique(trace.time[:rows])),
        time_unit=trace.time_unit,
        streams=tuple(fits),
    )


def prefix_rows(trace: Trace, share: float) -> int:
    """How many rows such a share of a trace is."""
    return round(share * len(trace))


def _streams(trace: Trace, named: str | int | bool | None) -> list[int]:
    labels = [str(label) for label in trace.labels]
    if not labels:
        raise InputError(f"{trace.origin} has no rows: there is nothing to fit a model to")
    if named is None:
        return list(range(len(labels)))
    if str(named) not in labels:
        there = " and ".join(map(repr, labels))
        raise InputError(f"stream {named!r} is unknown: the streams of {trace.origin} are {there}")
    return [labels.index(str(named))]


def _fit_stream(
    trace: Trace, side: int, rows: int, kind: str, criterion: str, is_caching: bool
) -> StreamFit:
    series = series_of(trace, side, rows, is_caching)
    if len(series.scored) < _FEWEST:
        raise InputError(_too_few(trace, series, rows))
    candidates, refused = _candidates(series, kind)
    candidates.sort(key=lambda one: getattr(one, criterion))
    if kind != "auto" and not candidates:
        raise InputError(
            f"no {kind} model suits stream {series.label!r} of {trace.origin}: {refused[kind]}"
        )
    return StreamFit(
        label=series.label,
        arrivals=len(series),
        scored=len(series.scored),
        longest_gap=int(series.gap.max()),
        candidates=tuple(candidates),
        refused=refused,
        goodness=goodness(candidates[0]),
        time=series.time[series.scored],
        residuals=residuals(candidates[0]),
    )


def _candidates(series: Series, kind: str) -> tuple[list[Candidate], dict[str, str]]:
    """What each kind makes of the stream, or why it does not suit."""
    found, refused = [], {}
    for name, fitter in fitters().items():
        if kind in ("auto", name):
            try:
                found += fitter(series)
            except InputError as error:
                refused[name] = str(error)
    return found, refused


def _too_few(trace: Trace, series: Series, rows: int) -> str:
    arrivals, scored = len(series), len(series.scored)
    told = f"stream {series.label!r} of {trace.origin} has {arrivals} arrivals"
    if rows < len(trace):
        told += f" among the first {rows} rows"
    if arrivals >= _FEWEST:
        told += f", but only {scored} that are later than the one before"
    way_out = "a larger prefix, or " if rows < len(trace) else ""
    return f"{told}, too few to fit a model: give {way_out}a longer trace"
