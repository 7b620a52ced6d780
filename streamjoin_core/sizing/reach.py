"""What each policy, and the optimum, reach with a given memory."""

from dataclasses import replace
from itertools import groupby
from math import fsum

from streamjoin_core.policies.registry import parse_policy
from streamjoin_core.progress import Progress, silent
from streamjoin_core.sizing.candidates import plan_for, without_unsuited
from streamjoin_core.sizing.report import Offer, Offers
from streamjoin_core.sweep.run import OPTIMUM, run_sweep
from streamjoin_core.trace.given import as_trace


def reach(
    trace,
    *,
    mem: int | str | list | tuple | range,
    policy: str | list[str] | tuple[str, ...] | None = None,
    problem: str = "joining",
    opt: bool = True,
    jobs: int | None = None,
    progress: Progress | None = None,
    **options,
) -> Offers:
    """What every policy reaches with each memory, the best first.

    Without `policy` all are asked that suit the options, which are those of `replay`.
    """
    plan, skipped = plan_for(policy, mem=mem, problem=problem, **options)
    trace = as_trace(trace, problem, progress or silent)
    if not policy:
        plan = without_unsuited(plan, trace, skipped)
    if opt and plan.order == "probe-first":
        best = parse_policy({"joining": OPTIMUM, "caching": "lfd"}[problem])
        plan = replace(plan, policies=(*plan.policies, best))
    report = run_sweep(
        plan, trace, jobs=jobs, output=None, resume=False, note=None, progress=progress
    )
    offers = [
        _offer(label, mem, list(runs))
        for (label, mem), runs in groupby(report.runs, key=lambda run: (run.label, run.mem))
    ]
    return Offers(
        trace=trace.account(),
        options=report.options,
        offers=tuple(sorted(offers, key=lambda offer: (offer.mem, -(offer.recall or 0)))),
        skipped=skipped,
    )


def _offer(label: str, mem: int, runs: list) -> Offer:
    def mean(name: str) -> float | None:
        values = [getattr(run, name, None) for run in runs]
        return None if None in values else fsum(values) / len(values)

    recall = mean("hit_ratio") if hasattr(runs[0], "hit_ratio") else mean("recall")
    return Offer(
        label, mem, recall, mean("importance_recall"), mean("fairness"), mean("ratio_to_opt")
    )
