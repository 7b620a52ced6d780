"""The optimum of a partitioned memory over a Spark cluster: a task finds a partition's own."""

from functools import partial

from streamjoin_core.optimise import Asked
from streamjoin_core.optimise_partitions import OptimumWork, answer_optimum, optimum_report
from streamjoin_core.partitions.warming import answer_warm
from streamjoin_core.partitions.work import make_work
from streamjoin_core.plan import Plan
from streamjoin_core.progress import Progress, silent
from streamjoin_core.report.optimum import OptimumReport
from streamjoin_core.spark.cluster import Cluster
from streamjoin_core.spark.gathering import empty_trace
from streamjoin_core.spark.replay import answers_on
from streamjoin_core.trace.trace import Trace


def optimise_on(
    cluster: Cluster, asked: Asked, recording, progress: Progress | None = None
) -> OptimumReport:
    """The optimum for each memory, cut into partitions."""
    layouts, labels, counted, answers = answers_on(
        cluster, asked.plan, recording, partial(_optimise, asked), progress or silent
    )
    trace = empty_trace(layouts, labels)
    return optimum_report(asked, make_work(asked.plan, trace, counted), trace, answers)


def _optimise(asked: Asked, plan: Plan, counted: int | None, number: int, trace: Trace):
    work = OptimumWork(asked, make_work(plan, trace, counted))
    return answer_warm(answer_optimum, work, number, trace)
