"""The replay of a trace: the library's main function.

Importing this costs nothing, so that the package can offer the function under the name of its own
module; the engine is loaded by the first call.
"""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from streamjoin_core.progress import Progress

if TYPE_CHECKING:
    import pyarrow as pa

    from streamjoin_core.report.report import Report
    from streamjoin_core.spark.cluster import Cluster
    from streamjoin_core.trace.read import Recording
    from streamjoin_core.trace.trace import Trace


def replay(
    trace: "Trace | pa.Table | str | os.PathLike | Recording | Callable[[], Trace]",
    *,
    policy: str | list[str] | tuple[str, ...],
    mem: int | str | list | tuple | range | None = None,
    window: str | int | tuple | list | None = None,
    window_kind: str = "time",
    split: str | None = None,
    order: str = "probe-first",
    on: str = "=",
    band: str | tuple[float, float] | None = None,
    combine: str = "min",
    warmup: int = 0,
    seed: int = 0,
    seeds: int = 1,
    problem: str = "joining",
    model: dict | str | os.PathLike | None = None,
    life: str | None = None,
    alpha: str | float | None = None,
    lookahead: int | None = None,
    fit_prefix: str | float | None = None,
    count_same_step: bool = False,
    age_curve: dict | str | os.PathLike = "learn",
    opt: bool = False,
    dominance: bool = False,
    objective: str = "results",
    fairness: bool = False,
    partitions: int | None = None,
    balance: bool = False,
    jobs: int = 1,
    spark: "Cluster | None" = None,
    progress: Progress | None = None,
) -> "Report":
    """Replay a trace under each policy with each memory, and report what was kept and lost.

    All options are checked before a trace is read; a function that returns a trace is called then.
    `policy` is a name, with parameters if need be ("ttl:left=2h,right=24h"), or several. `mem`
    counts tuples: 10, "5,10,20" or "10:50:10". `window` is W or W_R:W_S, in the trace's time or,
    with `window_kind="tuples"`, in tuples. `split` is shared, even, a:b, or auto, by the age
    curves; by default it is what the policy is made for, even for ijoin, else shared. `seeds` is
    the number of seeds, from `seed` on, under which policies that draw are run. `model` is a dict
    or a JSON file with an entry per stream label; without it the trace's own metadata are asked.
    With `model="auto"` it is fitted to the first rows, `fit_prefix` of all (0.2). `age_curve` is
    learn, prefix or prefix:SHARE, or a dict or a JSON file with a list of p(1), p(2), ... per
    stream label. `life` and `alpha` are heeb's parameters of that name, `lookahead` flowexpect's.
    `opt` compares every run with the offline optimum, in the `objective` results, importance or
    both; `fairness` tells how tuples stayed; `dominance` counts the decisions that were provably
    optimal.

    `partitions` cuts the trace by key, each partition with its share of the memory, on its own;
    `balance` places heavy keys so that partitions weigh the same; `jobs` is the number of processes
    that work on them. With `spark`, a cluster does: the trace is then a path or a `Recording`.

    >>> from streamjoin_core import trace_from_arrays
    >>> trace = trace_from_arrays([1, 2, 3, 4], ["a", "b", "a", "b"], ["R", "R", "S", "S"])
    >>> [(run.label, run.mem, run.results) for run in replay(trace, policy="fifo", mem="1,2").runs]
    [('fifo', 1, 0), ('fifo', 2, 2)]
    """
    from streamjoin_core.plan import make_plan

    plan = make_plan(
        policy=policy,
        mem=mem,
        window=window,
        window_kind=window_kind,
        split=split,
        order=order,
        on=on,
        band=band,
        combine=combine,
        warmup=warmup,
        seed=seed,
        seeds=seeds,
        problem=problem,
        model=model,
        life=life,
        alpha=alpha,
        lookahead=lookahead,
        fit_prefix=fit_prefix,
        count_same_step=count_same_step,
        age_curve=age_curve,
        opt=opt,
        dominance=dominance,
        objective=objective,
        fairness=fairness,
        partitions=partitions,
        balance=balance,
    )
    if spark is not None:
        from streamjoin_core.spark.replay import execute_on

        return execute_on(spark, plan, trace, progress)
    from streamjoin_core.execute import execute

    return execute(plan, trace, progress, jobs)
