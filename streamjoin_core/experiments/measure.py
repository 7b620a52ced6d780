"""Measuring curves: every case under every seed, in one process or several."""

from collections.abc import Callable, Iterable
from functools import partial

from streamjoin_core.experiments.base import Curve, Place, Setup
from streamjoin_core.processes import results_of

# What one run of one case gives: for each label the values at some places.
Measured = dict[str, dict[Place, float]]


def curves(
    setup: Setup, measure: Callable[..., Measured], cases: Iterable = (None,)
) -> tuple[Curve, ...]:
    """Curves over all cases, from `measure(case, seed, steps)`, a function of a module.

    Runs differ in their seeds, and the same run has the same seed in each case and curve, so that
    curves can be compared run by run.
    """
    asked = [(case, setup.seed + run) for case in cases for run in range(setup.runs)]
    runs = results_of(partial(_measured, measure, setup.steps), asked, setup.jobs, setup.progress)
    gathered: dict[str, dict[Place, list[float]]] = {}
    for measured in runs:
        for label, values in measured.items():
            for place, value in values.items():
                gathered.setdefault(label, {}).setdefault(place, []).append(value)
    return tuple(
        Curve(label, {place: tuple(values) for place, values in places.items()})
        for label, places in gathered.items()
    )


def _measured(measure: Callable[..., Measured], steps: int | None, asked: tuple) -> Measured:
    case, seed = asked
    return measure(case, seed, steps)
