"""Shedding under a processing budget: the library's function.

Importing this costs nothing, so that the package can offer the function under the name of its own
module; the engine is loaded by the first call.
"""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from streamjoin_core.progress import Progress

if TYPE_CHECKING:
    import pyarrow as pa

    from streamjoin_core.report.shed import ShedReport
    from streamjoin_core.trace.trace import Trace


def shed(
    trace: "Trace | pa.Table | str | os.PathLike | Callable[[], Trace]",
    *,
    budget: str | float | list | tuple,
    strategy: str | list[str] | tuple[str, ...],
    costs: str | tuple[float, float] | dict | os.PathLike | None = None,
    burst: str | int | None = None,
    window: str | int | tuple | list | None = None,
    mem: int | str | list | tuple | range | None = None,
    policy: str = "fifo",
    model: dict | str | os.PathLike | None = None,
    fit_prefix: str | float = 0.2,
    window_kind: str = "time",
    split: str = "shared",
    order: str = "probe-first",
    on: str = "=",
    band: str | tuple[float, float] | None = None,
    combine: str = "min",
    warmup: int = 0,
    count_same_step: bool = False,
    seed: int = 0,
    seeds: int = 1,
    progress: Progress | None = None,
) -> "ShedReport":
    """Replay a trace under a processing budget, with each strategy, budget and memory.

    `costs` are those of a tuple that enters and of a result: "1:0.5", (1, 0.5), or a JSON file of
    `sjoin calibrate`. `budget` is a share of the full join's cost (0.4, "40%") or cost per time
    ("500/s", "12/1"), or several; `burst` is the time whose budget may be spent at once, by default
    the longer window. `mem` limits the memory as well, managed by `policy`. Frequencies of keys are
    those of a stationary `model`, which the trace itself may tell, or learnt from the first
    `fit_prefix` of the rows, which `model="auto"` asks for.

    >>> from streamjoin_core import trace_from_arrays
    >>> trace = trace_from_arrays([1, 2, 3, 4], ["a", "b", "a", "b"], ["R", "R", "S", "S"])
    >>> report = shed(trace, budget="1/1", strategy="none", costs="1:1", window=5, burst=2)
    >>> [(run.label, run.results, run.cost) for run in report.runs]
    [('none', 2, 5.0)]
    """
    from streamjoin_core.shedding.question import Asked
    from streamjoin_core.shedding.run import run_shedding

    asked = Asked(
        budgets=budget.split(",") if isinstance(budget, str) else budget,
        strategies=strategy,
        costs=costs,
        burst=burst,
        fit_prefix=fit_prefix,
        mem=mem,
        policy=policy,
        model=model,
        seed=seed,
        seeds=seeds,
        joining={
            "window": window,
            "window_kind": window_kind,
            "split": split,
            "order": order,
            "on": on,
            "band": band,
            "combine": combine,
            "count_same_step": count_same_step,
        },
        warmup=warmup,
    )
    return run_shedding(asked, trace, progress)
