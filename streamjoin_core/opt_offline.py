"""The offline optimum of a trace: the library's function.

Importing this costs nothing, so that the package can offer the function under the name of its own
module; the solver is loaded by the first call.
"""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from streamjoin_core.progress import Progress

if TYPE_CHECKING:
    import pyarrow as pa

    from streamjoin_core.report.optimum import OptimumReport
    from streamjoin_core.spark.cluster import Cluster
    from streamjoin_core.trace.trace import Trace


def opt_offline(
    trace: "Trace | pa.Table | str | os.PathLike | Callable[[], Trace]",
    *,
    mem: int | str | list | tuple | range,
    window: str | int | tuple | list | None = None,
    window_kind: str = "time",
    split: str | None = None,
    order: str = "probe-first",
    on: str = "=",
    band: str | tuple[float, float] | None = None,
    combine: str = "min",
    warmup: int = 0,
    count_same_step: bool = False,
    objective: str = "results",
    graph: str = "auto",
    solver: str = "sjoin",
    time_limit: str | float | None = None,
    max_memory: str | int | None = None,
    bound: bool = False,
    partitions: int | None = None,
    balance: bool = False,
    whole: bool = False,
    jobs: int = 1,
    spark: "Cluster | None" = None,
    progress: Progress | None = None,
) -> "OptimumReport":
    """The best that any policy could have done on a trace, for each memory, from one solve.

    The options of the join are those of `replay`. `objective` is what is made largest: results or
    importance. `graph` is auto, key or match; `solver` is sjoin, or ortools or networkx to check
    it. After `time_limit` ("60s", or seconds), or when the user interrupts it, a memory that is not
    solved has status "bound": its optimum is from `lower` to `upper`. With `bound` such bounds are
    all that is asked for. `max_memory` ("2GB", or bytes) refuses a solve that would need more. The
    report's `solution` has the schedule, the prices of memory, and the proof.

    `partitions`, `balance`, `jobs` and `spark` are those of `replay`: the optimum is then that of
    the partitioned memory, and `whole` adds what it would be if it were not cut.

    >>> from streamjoin_core import trace_from_arrays
    >>> trace = trace_from_arrays([1, 2, 3, 4], ["a", "b", "a", "b"], ["R", "R", "S", "S"])
    >>> [(run.mem, run.results, run.status) for run in opt_offline(trace, mem="1,2").runs]
    [(1, 1, 'optimal'), (2, 2, 'optimal')]
    """
    from streamjoin_core.optimise_partitions import best

    return best(
        trace,
        mem=mem,
        window=window,
        window_kind=window_kind,
        split=split,
        order=order,
        on=on,
        band=band,
        combine=combine,
        warmup=warmup,
        count_same_step=count_same_step,
        objective=objective,
        graph=graph,
        solver=solver,
        time_limit=time_limit,
        max_memory=max_memory,
        bound=bound,
        partitions=partitions,
        balance=balance,
        whole=whole,
        jobs=jobs,
        spark=spark,
        progress=progress,
    )
