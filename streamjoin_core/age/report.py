"""Age curves as a person, a program and a policy read them."""

import json
import os
from dataclasses import dataclass

import numpy as np

from streamjoin_core.age.curve import AgeCurve
from streamjoin_core.age.learn import MOST_PLACES, default_granularity, learn_curves, reach
from streamjoin_core.age.shape import name_shape
from streamjoin_core.asked import ask_join, asked_options, told_trace
from streamjoin_core.errors import InputError
from streamjoin_core.files import atomic_path
from streamjoin_core.options import parse_share, whole_number
from streamjoin_core.progress import Progress
from streamjoin_core.trace.units import parse_duration


@dataclass(frozen=True, eq=False)
class AgeCurves:
    """The curves of a trace's streams by label, with what was asked."""

    trace: dict
    options: dict
    curves: dict[str, AgeCurve]
    ages: dict[str, int]  # how many there are in the stream's window, if the trace is long enough

    def as_dict(self) -> dict:
        return {
            "trace": self.trace,
            "options": self.options,
            "curves": {label: _curve_dict(curve) for label, curve in self.curves.items()},
        }


def age_curve(
    trace,
    *,
    stream: str | None = None,
    granularity: str | int | None = None,
    fraction: float = 1.0,
    seed: int = 0,
    progress: Progress | None = None,
    **joining,
) -> AgeCurves:
    """Count how many results tuples have at each age; options are those of `replay`.

    `granularity` is the length of time that is one age, `fraction` the share of tuples that are
    retained for life; both by default tell all.

    >>> from streamjoin_core import trace_from_arrays
    >>> trace = trace_from_arrays([1, 2, 3, 4], ["a", "b", "a", "a"], ["R", "R", "S", "S"])
    >>> curve = age_curve(trace, window=3).curves["R"]
    >>> curve.counts.tolist(), curve.tuples, curve.best_age
    ([0, 1, 1], 2, 3)
    """
    fraction = parse_share("fraction", fraction)
    seed = whole_number("seed", seed, least=0)
    join = ask_join(trace, progress=progress, **joining)
    width = _granularity(granularity, join)
    curves = learn_curves(join, width, fraction=fraction, seed=seed)
    labels = [str(label) for label in join.trace.labels]
    if stream is not None and stream not in labels:
        there = " and ".join(map(repr, labels)) or "none"
        raise InputError(f"there is no stream {stream!r}: the streams are {there}")
    for label, curve in zip(labels, curves, strict=False):
        if curve.tuples == 0:
            raise InputError(f"no tuple of stream {label!r} was drawn: give a larger --fraction")
    options = {**asked_options(join), "granularity": curves[0].granularity}
    options |= {"fraction": fraction, "seed": seed}
    shown = {
        label: curve
        for label, curve in zip(labels, curves, strict=False)
        if stream in (None, label)
    }
    windows = join.rules.window if join.has_window else reach(join)
    ages = {
        label: min(MOST_PLACES, -(-int(window) // curves[0].granularity))
        for label, window in zip(labels, windows, strict=False)
    }
    return AgeCurves(told_trace(join), options, shown, ages)


def _granularity(given: str | int | None, join) -> int:
    if given is None:
        return default_granularity(reach(join))
    unit = None if join.rules.by_tuples else join.trace.time_unit
    width = parse_duration(given, unit)
    if width < 1:
        raise InputError(f"granularity {given!r} is less than a unit of time: give a longer one")
    return width


def _curve_dict(curve: AgeCurve) -> dict:
    return {
        "tuples": curve.tuples,
        "window": curve.window,
        "results_per_tuple": curve.results,
        "shape": name_shape(curve),
        "best_age": curve.best_age,
        "p": curve.shares.tolist(),
        "C": (curve.totals[1:] / max(1, curve.tuples)).tolist(),
        "standard_error": None if curve.errors is None else curve.errors.tolist(),
        "error_of_results": error_of_results(curve),
    }


def error_of_results(curve: AgeCurve) -> float | None:
    """How far p is off on average over ages, as a share of the results of a tuple."""
    if curve.errors is None or curve.results == 0:
        return None
    return float(np.sqrt((curve.errors**2).sum()) / curve.results)


def write_curves(found: AgeCurves, path: str | os.PathLike) -> None:
    """Write what `--age-curve FILE` reads."""
    content: dict = {
        label: np.pad(curve.shares, (0, found.ages[label] - curve.places)).tolist()
        for label, curve in found.curves.items()
    }
    if found.options["granularity"] != 1:
        content["granularity"] = found.options["granularity"]
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(content) + "\n", encoding="utf-8")
