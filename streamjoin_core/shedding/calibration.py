"""Measuring what a tuple and a result cost on this machine, with the engine itself.

Generated traces that differ in how many results a tuple has are joined in whole, each several
times; the fastest time of each is taken, and

    seconds = update * tuples + production * results

is fitted by least squares of relative errors, with no cost below 0. The engine only counts results
unless it must look at each, so the tuples carry importances: then each result is met and weighed.
"""

from dataclasses import asdict, dataclass
from time import perf_counter

import numpy as np

from streamjoin_core.engine.joining import JoinTask, prepare_join
from streamjoin_core.options import whole_number
from streamjoin_core.policies.registry import parse_policy
from streamjoin_core.progress import Progress, silent
from streamjoin_core.trace.table import trace_from_arrays

# Expected results per tuple, from hardly any to so many that they decide the time.
_RESULTS_PER_TUPLE = (0.01, 1, 2, 5, 10, 20, 50)
_WINDOW = 1000


@dataclass(frozen=True)
class Measurement:
    """One trace, joined in whole."""

    tuples: int
    results: int
    seconds: float
    fitted: float


@dataclass(frozen=True)
class Calibration:
    """Costs in seconds, and how well the two of them explain what was measured."""

    update: float
    production: float
    r_squared: float | None  # share of the times' variance that is explained; None without any
    largest_error: float  # of a time, relative to it
    measurements: tuple[Measurement, ...]

    unit = "s"

    def as_dict(self) -> dict:
        return asdict(self) | {"unit": self.unit}


def calibrate(
    *, rows: int = 200_000, repeats: int = 5, seed: int = 0, progress: Progress | None = None
) -> Calibration:
    """Measure both costs; `rows` is the length of each trace, joined `repeats` times."""
    rows = whole_number("number of rows", rows, least=10_000, most=10**8)
    repeats = whole_number("number of repeats", repeats, least=1)
    progress = progress or silent
    measured = []
    for done, wanted in enumerate(_RESULTS_PER_TUPLE):
        progress("measuring", done, len(_RESULTS_PER_TUPLE))
        measured.append(_measure(rows, wanted, repeats, seed))
    progress("measuring", len(_RESULTS_PER_TUPLE), len(_RESULTS_PER_TUPLE))
    return fit_costs(measured)


def _measure(rows: int, wanted: float, repeats: int, seed: int) -> tuple[int, int, float]:
    """Tuples, results and seconds of one trace, whose keys are as many as give the results."""
    rng = np.random.default_rng(seed)
    keys = max(1, round(_WINDOW / wanted / 2))
    trace = trace_from_arrays(
        np.arange(rows),
        rng.integers(0, keys, rows),
        np.array(["R", "S"])[rng.integers(0, 2, rows)],
        importance=rng.random(rows),
    )
    join = prepare_join(
        trace,
        window=(_WINDOW, _WINDOW),
        by_tuples=False,
        evict_first=False,
        on="=",
        band=None,
        combination="min",
        first_counted=0,
    )
    policy, params = parse_policy("fifo")
    task = JoinTask(join, params, (_WINDOW + 2,))
    results = int(policy.joining(task).results.sum())  # untimed: it compiles, and surveys the join
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        policy.joining(task)
        seconds.append(perf_counter() - start)
    return rows, results, min(seconds)


def fit_costs(measured: list[tuple[int, int, float]]) -> Calibration:
    """The two costs that explain tuples, results and seconds best.

    >>> found = fit_costs([(10, 0, 2.0), (10, 20, 4.0), (10, 40, 6.0)])
    >>> round(found.update, 9), round(found.production, 9), round(found.r_squared, 9)
    (0.2, 0.1, 1.0)
    """
    from scipy.optimize import nnls

    amounts = np.array([(tuples, results) for tuples, results, _ in measured], float)
    seconds = np.array([took for _, _, took in measured])
    # In relative terms, so that short times count as much as long ones.
    (update, production), _ = nnls(amounts / seconds[:, None], np.ones(len(seconds)))
    fitted = amounts @ (update, production)
    spread = float(((seconds - seconds.mean()) ** 2).sum())
    unexplained = float(((seconds - fitted) ** 2).sum())
    return Calibration(
        float(update),
        float(production),
        1 - unexplained / spread if spread > 0 else None,
        float(np.max(np.abs(fitted - seconds) / seconds)),
        tuple(
            Measurement(tuples, results, took, float(expected))
            for (tuples, results, took), expected in zip(measured, fitted, strict=True)
        ),
    )
