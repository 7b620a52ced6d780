"""From the question for a sample to its report."""

from dataclasses import asdict, dataclass, field

import numpy as np

from streamjoin_core.age.given import find_curves, parse_source
from streamjoin_core.asked import ask_join, asked_options, told_trace
from streamjoin_core.engine.joining import Join
from streamjoin_core.engine.unlimited import EXACT
from streamjoin_core.errors import InputError
from streamjoin_core.models.given import given_model, read_model
from streamjoin_core.models.known import known_probabilities
from streamjoin_core.optimal.walk import step_starts
from streamjoin_core.options import one_of, whole_number
from streamjoin_core.progress import Progress
from streamjoin_core.report.intervals import interval
from streamjoin_core.report.report import json_ready
from streamjoin_core.sampling.aggregate import AGGREGATES, Aggregates, windowed
from streamjoin_core.sampling.draw import Plan, Sample, draw_sample
from streamjoin_core.sampling.expectation import MODELS, Expectation, expect
from streamjoin_core.sampling.fraction import METHODS, inclusion, memory_used, solve_fraction
from streamjoin_core.trace.units import LONGEST, parse_duration

SIDES = ("left", "right")
_MOST_TOLD = 100  # steps of a series over time


@dataclass(frozen=True)
class SampleRun:
    """One sample; undefined measures are None."""

    seed: int
    sample_size: int
    sampling_fraction: float | None  # of all results
    memory_mean: float | None  # once windows are full
    memory_max: int
    error_mean: float | None  # relative, of the windowed aggregate, over steps
    error_max: float | None
    steps_without_estimate: int
    aggregate: float | None  # of all results
    estimate: float | None


@dataclass(frozen=True, eq=False)
class SampleReport:
    trace: dict
    options: dict
    exact: int  # results of the join
    p: float  # sampling fraction; for pps-cluster the factor of n(s)
    memory_promised: int
    memory_expected: float  # by the theorems, at this p
    memory_deviation: float
    runs: tuple[SampleRun, ...]
    summary: dict | None  # mean and 95 % interval over seeds
    times: np.ndarray = field(repr=False)
    over_time: Aggregates = field(repr=False)  # of the first run
    join: Join = field(repr=False)
    sample: Sample = field(repr=False)  # of the first run
    weights: np.ndarray = field(repr=False)  # of a row's results

    def as_dict(self) -> dict:
        hidden = ("times", "over_time", "join", "sample", "weights", "runs")
        told = {name: entry for name, entry in vars(self).items() if name not in hidden}
        runs = [asdict(run) for run in self.runs]
        return json_ready(told | {"runs": runs, "over_time": self._over_time()})

    def _over_time(self) -> list[dict]:
        """True and estimated aggregates of the first run, at some steps from first to last."""
        shown = np.unique(np.linspace(0, len(self.times) - 1, _MOST_TOLD).round().astype(int))
        return [
            {
                "time": int(self.times[step]),
                "aggregate": float(self.over_time.true[step]),
                "estimate": float(self.over_time.estimated[step]),
            }
            for step in shown[: len(self.times)]
        ]


def sample(
    trace,
    *,
    method: str,
    mem: int,
    aggregate: str = "avg",
    agg_window: str | int | None = None,
    value_of: str = "left",
    by: str | None = None,
    margin: float = 0.0,
    age_curve="learn",
    model=None,
    seed: int = 0,
    seeds: int = 1,
    lists_results: bool = False,
    progress: Progress | None = None,
    **joining,
) -> SampleReport:
    """Sample the result of a join in expected memory `mem`, and estimate an aggregate from it.

    `by` tells what n(s) is from: age, frequency or trace; `margin` leaves so many standard
    deviations of the memory free; `value_of` says whose value is aggregated. With `lists_results`
    the sampled pairs of the first seed are kept. Other options are those of `replay`.
    """
    one_of("method", method, METHODS)
    one_of("aggregate", aggregate, AGGREGATES)
    one_of("stream of the value", value_of, SIDES)
    if by is not None:
        one_of("model of n(s)", by, MODELS)
    mem = whole_number("memory", mem, least=1)
    seed, seeds = whole_number("seed", seed, least=0), whole_number("number of seeds", seeds, 1)
    if not 0 <= margin <= 100:
        raise InputError(f"margin is {margin}: give a number of standard deviations, such as 2")
    source, named = parse_source(age_curve), read_model(model)
    join = ask_join(trace, progress=progress, **joining)
    if not join.has_window:
        raise InputError("a sample needs a window, to know how long tuples stay: give --window")
    value = _values(join, aggregate)
    width = _aggregation_window(join, agg_window)
    known = given_model(named, join.trace, 2)
    entries = known.entries if known else None
    by = _model_of_results(join, method, by, entries)
    curves = find_curves(source, join) if by == "age" else None
    expected = expect(join, by or "trace", curves, entries, method == "uniform")
    p = solve_fraction(method, expected.kinds, mem, margin)
    _refuse_nothing(join, method, expected, p, mem)
    plan = _plan(join, method, expected, p, value, SIDES.index(value_of))
    options = {"method": method, "by": by, "mem": mem, "margin": margin, "aggregate": aggregate}
    options |= {"agg_window": width, "value_of": value_of, **asked_options(join)}
    options |= {"seed": seed, "seeds": seeds}
    return _report(join, plan, options, memory_used(method, expected.kinds, p), lists_results)


def _report(
    join: Join, plan: Plan, options: dict, memory: tuple[float, float], lists_results: bool
) -> SampleReport:
    """Draw under each seed, and tell what came out."""
    seeds = range(options["seed"], options["seed"] + options["seeds"])
    draws = [draw_sample(join, plan, seed, lists_results and seed == seeds[0]) for seed in seeds]
    times = join.rows.time[step_starts(join.rows.time)[:-1]]
    aggregate, width = options["aggregate"], options["agg_window"]
    series = [windowed(drawn, times, width, aggregate) for drawn in draws]
    runs = tuple(
        _run(join, seed, drawn, over_time, times, aggregate)
        for seed, drawn, over_time in zip(seeds, draws, series, strict=True)
    )
    return SampleReport(
        trace=told_trace(join),
        options=options,
        exact=int(join.unlimited.pairs[EXACT]),
        p=plan.p,
        memory_promised=options["mem"],
        memory_expected=memory[0],
        memory_deviation=memory[1] ** 0.5,
        runs=runs,
        summary=_summary(runs),
        times=times,
        over_time=series[0],
        join=join,
        sample=draws[0],
        weights=_weights(plan),
    )


def _values(join: Join, aggregate: str) -> np.ndarray:
    if aggregate == "count":
        return np.zeros(0)
    if join.trace.value is None:
        raise InputError(
            f"{join.trace.origin} has no values to aggregate: name their column with --value-col, "
            "or ask for --aggregate count"
        )
    return join.trace.value


def _aggregation_window(join: Join, given: str | int | None) -> int:
    if given is not None:
        return parse_duration(given, join.trace.time_unit)
    if join.rules.by_tuples:
        raise InputError("windows count tuples, but results come over time: give --agg-window")
    return int(join.rules.window.max())


def _model_of_results(join: Join, method: str, by: str | None, entries) -> str | None:
    """What n(s) is from; clusters of equal chance need not know it."""
    if method == "eq-cluster":
        return None
    if by is None and known_probabilities(join, entries) is not None:
        return "frequency"
    if by is None:
        raise InputError(
            f"{method} must know n(s), how many results a tuple will have: give --by age, or "
            "--by frequency, or take --method eq-cluster, which need not"
        )
    return by


def _refuse_nothing(join: Join, method: str, expected: Expectation, p: float, mem: int) -> None:
    """Refuse a memory in which not even one result is to be expected."""
    exact = int(join.unlimited.pairs[EXACT])
    if exact == 0 or _expected_size(join, method, expected, p) >= 1:
        return
    least = mem
    while _expected_size(join, method, expected, p) < 1 and least < len(join.trace):
        least *= 2
        p = solve_fraction(method, expected.kinds, least)
    raise InputError(
        f"memory {mem} is too small for any sample: not one of {exact:,} results is to be "
        f"expected in it: give {least} or more"
    )


def _expected_size(join: Join, method: str, expected: Expectation, p: float) -> float:
    chances = inclusion(method, expected.results, p)
    return float(np.sum(chances * join.unlimited.future))


def _plan(join, method, expected: Expectation, p: float, value, value_stream: int) -> Plan:
    chance = np.broadcast_to(inclusion(method, expected.results, p), expected.results.shape)
    return Plan(method == "uniform", p, expected.results, chance.astype(float), value, value_stream)


def _weights(plan: Plan) -> np.ndarray:
    chance = np.full(len(plan.chance), plan.p) if plan.is_uniform else plan.chance
    return 1 / np.maximum(chance, np.finfo(float).tiny)


def _run(
    join: Join, seed: int, drawn: Sample, over_time: Aggregates, times: np.ndarray, aggregate: str
) -> SampleRun:
    exact, size = int(join.unlimited.pairs[EXACT]), int(drawn.size[0])
    errors = over_time.errors()
    known = errors[np.isfinite(errors)]
    used = np.cumsum(drawn.held)[: len(times)]
    whole = windowed(drawn, times, LONGEST, aggregate)
    return SampleRun(
        seed=seed,
        sample_size=size,
        sampling_fraction=size / exact if exact else None,
        memory_mean=_mean_once_full(join, times, used),
        memory_max=int(used.max(initial=0)),
        error_mean=float(known.mean()) if len(known) else None,
        error_max=float(known.max()) if len(known) else None,
        steps_without_estimate=int(len(errors) - len(known)),
        aggregate=_last(whole.true),
        estimate=_last(whole.estimated),
    )


def _last(values: np.ndarray) -> float | None:
    return float(values[-1]) if np.isfinite(values[-1:]).any() else None


def _mean_once_full(join: Join, times: np.ndarray, used: np.ndarray) -> float | None:
    """The mean over time after the first window, or of all if the trace is no longer than that."""
    if len(times) < 2:
        return float(used[0]) if len(times) else None
    filled = 0 if join.rules.by_tuples else int(join.rules.window.max())
    lasts = np.diff(times).astype(float)
    is_full = times[:-1] - times[0] >= filled
    if not is_full.any():
        is_full[:] = True
    return float(used[:-1][is_full] @ lasts[is_full] / lasts[is_full].sum())


def _summary(runs: tuple[SampleRun, ...]) -> dict | None:
    if len(runs) < 2:
        return None
    names = ("sampling_fraction", "memory_mean", "error_mean", "estimate")
    return {name: interval([getattr(run, name) for run in runs]) for name in names}
