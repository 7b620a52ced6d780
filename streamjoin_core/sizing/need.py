"""The smallest memory with which each policy, and the optimum, reach a target."""

from collections.abc import Callable
from math import ceil, fsum

from streamjoin_core.engine.needed import IN_WINDOW, NEEDED, find_needs
from streamjoin_core.errors import InputError
from streamjoin_core.execute import Prepared, prepare
from streamjoin_core.forked import spread
from streamjoin_core.options import one_of, whole_number
from streamjoin_core.parameters import Parameters
from streamjoin_core.plan import Job
from streamjoin_core.policies.base import Policy
from streamjoin_core.processes import cores
from streamjoin_core.progress import Progress, silent
from streamjoin_core.sizing.candidates import plan_for, without_unsuited
from streamjoin_core.sizing.report import Need, Needs
from streamjoin_core.sizing.search import Found, smallest
from streamjoin_core.trace.given import as_trace

MEASURES = {
    "joining": ("recall", "importance_recall", "fairness"),
    "caching": ("hit_ratio", "fairness"),
}
_OBJECTIVES = {"recall": "results", "importance_recall": "importance"}
_FIRST_TRY = 64  # units of memory to solve for before more are


def need(
    trace,
    *,
    target: str,
    policy: str | list[str] | tuple[str, ...] | None = None,
    problem: str = "joining",
    opt: bool = True,
    jobs: int | None = None,
    progress: Progress | None = None,
    **options,
) -> Needs:
    """The smallest memory for a target such as "recall=0.95", for each policy and the optimum.

    Without `policy` all are asked that suit the options, which are those of `replay`.

    >>> from streamjoin_core import trace_from_arrays
    >>> trace = trace_from_arrays([1, 2, 3, 4], ["a", "b", "a", "b"], ["R", "R", "S", "S"])
    >>> found = need(trace, target="recall=1", policy="fifo", jobs=1)
    >>> [(need.label, need.mem) for need in (*found.policies, found.optimum)]
    [('fifo', 2), ('opt', 2)]
    """
    measure, value = parse_target(target, problem)
    plan, skipped = plan_for(policy, problem=problem, **options)
    trace = as_trace(trace, problem, progress or silent)
    if not policy:
        plan = without_unsuited(plan, trace, skipped)
    prepared = prepare(plan, trace, progress or silent)
    return find_needs_of(prepared, measure, value, skipped, opt=opt, jobs=jobs, progress=progress)


def parse_target(text: str, problem: str = "joining") -> tuple[str, float]:
    """A measure and the value that it is to reach.

    >>> parse_target("recall=0.95")
    ('recall', 0.95)
    """
    name, equals, value = str(text).partition("=")
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not equals or not 0 < number <= 1:
        raise InputError(f"target {text!r} is no goal: give one such as recall=0.95, at most 1")
    return one_of("measure", name.strip(), MEASURES[problem]), number


def find_needs_of(
    prepared: Prepared,
    measure: str,
    target: float,
    skipped: dict[str, str],
    *,
    opt: bool,
    jobs: int | None,
    progress: Progress | None,
) -> Needs:
    """Search every policy's curve, each in a process, and then the optimum's."""
    progress = progress or silent
    processes = cores() if jobs is None else whole_number("number of jobs", jobs, least=1)
    plan, most = prepared.plan, most_memory(prepared)
    policies = list(plan.policies)

    def search(chosen: tuple[Policy, Parameters]) -> Found:
        return smallest(lambda mem: mean_over_seeds(prepared, *chosen, mem, measure), target, most)

    found: dict[str, Found] = {}
    for (policy, params), answer in spread(search, [policies], min(processes, len(policies))):
        found[policy.label(params)] = answer
        progress("searching", len(found), len(policies))
    best = _optimum(prepared, measure, target, found, most, progress) if opt else None
    # In the order of the policies, whichever process was done first.
    labels = [policy.label(params) for policy, params in policies]
    needs = [_need(label, found[label], best) for label in labels]
    return Needs(
        trace=prepared.trace.account(),
        options=prepared.options | {"mem": None},
        measure=measure,
        target=target,
        most=most,
        optimum=best,
        policies=tuple(sorted(needs, key=lambda need: need.mem or most + 1)),
        skipped=skipped,
    )


def _need(label: str, found: Found, best: Need | None) -> Need:
    compared = found.mem is not None and best is not None and best.mem is not None
    return Need(
        label,
        found.mem,
        found.reached,
        found.is_monotone,
        found.mem / best.mem if compared else None,
    )


def mean_over_seeds(
    prepared: Prepared, policy: Policy, params: Parameters, mem: int, measure: str
) -> float | None:
    plan = prepared.plan
    seeds = range(plan.seed, plan.seed + (plan.seeds if policy.is_random else 1))
    runs = [prepared.run(Job(policy, params, mem, seed)) for seed in seeds]
    values = [getattr(run, measure) for run in runs]
    return None if None in values else fsum(values) / len(values)


def most_memory(prepared: Prepared) -> int:
    """A memory that holds all there ever is to hold, so that more of it changes nothing."""
    if prepared.join is None:
        return max(1, len(prepared.trace.key_values))
    peak = int(_needs(prepared).peak[IN_WINDOW])
    split = prepared.plan.split
    if split.shares is not None:
        # Each part must hold all of its own stream, which is at most all.
        peak = ceil(peak * sum(split.shares) / min(share for share in split.shares if share)) + 1
    elif split.is_auto:
        peak = 2 * len(prepared.trace)
    # Arrivals of a step are candidates, too, though only those that stay need room.
    return max(1, min(peak, 2**31 - 1))


def _needs(prepared: Prepared):
    join = prepared.join
    return find_needs(join.rows, join.rules, join.number_of_keys)


def _optimum(
    prepared: Prepared,
    measure: str,
    target: float,
    found: dict[str, Found],
    most: int,
    progress: Progress,
) -> Need | None:
    """What nobody could do with less."""
    if prepared.join is None:
        return _lfd(prepared, measure, target, most)
    if measure not in _OBJECTIVES or prepared.plan.order != "probe-first":
        return None
    # Nobody needs less than the optimum, and it needs no more than room for what is to come.
    limits = [answer.mem for answer in found.values() if answer.mem is not None]
    if len(prepared.parts(1)) == 1:
        limits.append(max(1, int(_needs(prepared).peak[NEEDED])))
    limit = min([most, *limits])
    size = min(_FIRST_TRY, limit)
    while True:
        curve = _optimum_curve(prepared, measure, size, progress)
        if size == limit or (curve(size) or 0) >= target:
            answer = smallest(curve, target, size)
            return Need("opt", answer.mem, answer.reached, answer.is_monotone, None)
        size = min(4 * size, limit)


def _optimum_curve(
    prepared: Prepared, measure: str, size: int, progress: Progress
) -> Callable[[int], float | None]:
    """The optimum's measure for memories up to a size, from one solve."""
    from streamjoin_core.optimise import answer, ask
    from streamjoin_core.report.optimum_run import optimum_run

    plan = prepared.plan
    question = ask(
        prepared.trace,
        mem=[size],
        objective=_OBJECTIVES[measure],
        warmup=plan.warmup,
        **plan.joining_options(),
    )
    solution = answer(question, progress, may_stop=False).solution

    def value(mem: int) -> float | None:
        best = solution.optimum(prepared.parts(mem))
        return getattr(optimum_run(question.basis, best, None, None), measure)

    return value


def _lfd(prepared: Prepared, measure: str, target: float, most: int) -> Need | None:
    from streamjoin_core.policies.registry import parse_policy

    if measure != "hit_ratio":
        return None
    chosen = parse_policy("lfd")
    found = smallest(lambda mem: mean_over_seeds(prepared, *chosen, mem, measure), target, most)
    return Need("lfd", found.mem, found.reached, found.is_monotone, None)
