"""What a time-to-live setting, as Flink and ksqlDB have it, amounts to."""

from math import ceil

from streamjoin_core.engine.joining import JoinTask
from streamjoin_core.engine.unlimited import EXACT
from streamjoin_core.errors import InputError
from streamjoin_core.execute import Prepared, prepare
from streamjoin_core.explanation.fates import fates_of_run
from streamjoin_core.plan import make_plan
from streamjoin_core.policies.registry import parse_policy
from streamjoin_core.progress import Progress, silent
from streamjoin_core.report.measures import share
from streamjoin_core.sizing.candidates import plan_for, without_unsuited
from streamjoin_core.sizing.need import find_needs_of
from streamjoin_core.sizing.reach import reach
from streamjoin_core.sizing.report import Need, TimeToLive
from streamjoin_core.trace.given import as_trace


def translate_ttl(
    trace,
    *,
    ttl: str,
    policy: str | list[str] | tuple[str, ...] | None = None,
    opt: bool = True,
    jobs: int | None = None,
    progress: Progress | None = None,
    **options,
) -> TimeToLive:
    """The state and the recall of a time-to-live such as "2h:24h", and what else is possible.

    Memory is without limit for the time-to-live itself; others get as much as it took.
    """
    left, right = parse_ttl(ttl)
    plan, skipped = plan_for(policy, **options)
    if plan.order != "probe-first":
        raise InputError("a time-to-live is translated for probe-first only: leave --order out")
    limits = ",".join(
        f"{side}={limit}" for side, limit in (("left", left), ("right", right)) if limit
    )
    trace = as_trace(trace, "joining", progress or silent)
    if not policy:
        plan = without_unsuited(plan, trace, skipped)
    prepared = prepare(_plan_of(f"ttl:{limits}", plan), trace, progress or silent)
    results, held = _run(prepared)
    exact = int(prepared.join.unlimited.pairs[EXACT])
    recall, peak = share(results, exact), max(1, int(held.max(initial=0)))
    mean = float(held.mean()) if len(held) else 0.0
    memories = list(dict.fromkeys((peak, max(1, ceil(mean)))))
    offers = reach(
        trace, mem=memories, policy=policy, opt=opt, jobs=jobs, progress=progress, **options
    ).offers
    return TimeToLive(
        trace=trace.account(),
        options=prepared.options,
        ttl=(left, right),
        exact=exact,
        results=results,
        recall=recall,
        peak_state=int(held.max(initial=0)),
        mean_state=mean,
        at_peak=tuple(offer for offer in offers if offer.mem == memories[0]),
        at_mean=tuple(offer for offer in offers if offer.mem == memories[-1]),
        same_recall=_same_recall(plan, trace, recall, opt, jobs, progress),
        skipped=skipped,
    )


def parse_ttl(text: str) -> tuple[str | None, str | None]:
    """The limits of left and right: one for both, or two, of which one may be left out.

    >>> parse_ttl("2h"), parse_ttl("2h:24h"), parse_ttl(":24h")
    (('2h', '2h'), ('2h', '24h'), (None, '24h'))
    """
    left, colon, right = str(text).partition(":")
    sides = (left.strip() or None, (right if colon else left).strip() or None)
    if sides == (None, None) or ":" in right:
        raise InputError(f"time-to-live {text!r} is unknown: give one such as 2h, or 2h:24h")
    return sides


def _plan_of(policy: str, like):
    return make_plan(
        policy=policy,
        mem=None,
        problem="joining",
        warmup=like.warmup,
        seed=like.seed,
        seeds=1,
        model=None,
        opt=False,
        **like.joining_options(),
    )


def _run(prepared: Prepared):
    """Results, and how many tuples were held after each step."""
    (job,) = prepared.plan.jobs()
    join = prepared.join
    policy, params = parse_policy(job.label)
    parts = (max(1, len(join.trace)),)
    facts = policy.joining(JoinTask(join, params, parts, records=True))
    return int(facts.results.sum()), fates_of_run(join, facts).held(join).sum(axis=0)


def _same_recall(plan, trace, recall, opt, jobs, progress) -> tuple[Need, ...]:
    if not recall:
        return ()
    prepared = prepare(plan, trace, progress or silent)
    found = find_needs_of(prepared, "recall", recall, {}, opt=opt, jobs=jobs, progress=progress)
    return (*([found.optimum] if found.optimum else []), *found.policies)
