"""A sweep: the curves of all policies over memory, on all cores.

Importing this costs nothing, so that the package can offer the function under the name of its own
folder; the engine is loaded by the first call.
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


def sweep(
    trace: "Trace | pa.Table | str | os.PathLike | Recording | Callable[[], Trace]",
    *,
    policy: str | list[str] | tuple[str, ...],
    mem: int | str | list | tuple | range,
    warmup: int = 0,
    seed: int = 0,
    seeds: int = 10,
    problem: str = "joining",
    model: dict | str | os.PathLike | None = None,
    jobs: int | None = None,
    spark: "Cluster | None" = None,
    output: str | os.PathLike | None = None,
    resume: bool = False,
    note: Callable[[str], None] | None = None,
    progress: Progress | None = None,
    **joining,
) -> "Report":
    """Replay a trace under each policy with each memory; policy opt is the curve of one solve.

    The options are those of `replay`. `jobs` is the number of processes, by default one for each
    core; with `spark` a cluster's tasks take their place, and the trace is a path or a `Recording`,
    which every executor reads as a whole. The report is also written to `output`, if there is one;
    what is done so far is kept beside it until it is complete, and with `resume` an interrupted
    sweep goes on from there, as `note` is told.

    >>> from streamjoin_core import trace_from_arrays
    >>> trace = trace_from_arrays([1, 2, 3, 4], ["a", "b", "a", "b"], ["R", "R", "S", "S"])
    >>> report = sweep(trace, policy="fifo,opt", mem="1,2", jobs=1)
    >>> [(run.label, run.mem, run.results, run.ratio_to_opt) for run in report.runs]
    [('fifo', 1, 0, 0.0), ('fifo', 2, 2, 1.0), ('opt', 1, 1, 1.0), ('opt', 2, 2, 1.0)]
    """
    from streamjoin_core.options import with_join_defaults
    from streamjoin_core.plan import make_plan
    from streamjoin_core.sweep.run import run_sweep

    plan = make_plan(
        policy=policy,
        mem=mem,
        warmup=warmup,
        seed=seed,
        seeds=seeds,
        problem=problem,
        model=model,
        opt=False,
        **with_join_defaults(joining),
    )
    return run_sweep(
        plan,
        trace,
        jobs=jobs,
        spark=spark,
        output=output,
        resume=resume,
        note=note,
        progress=progress,
    )
