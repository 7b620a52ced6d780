"""A replay over a Spark cluster: one pass over the data, in which only counters come back."""

import os
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from streamjoin_core.errors import InputError
from streamjoin_core.execute import make_report
from streamjoin_core.models.fitted import ToFit
from streamjoin_core.partitions.partitioning import Partitioning
from streamjoin_core.partitions.replaying import answer_partition
from streamjoin_core.partitions.warming import answer_warm
from streamjoin_core.partitions.work import make_work
from streamjoin_core.plan import Plan
from streamjoin_core.progress import Progress, silent
from streamjoin_core.report.report import Report
from streamjoin_core.spark.chunks import CHUNKS, cut_into_chunks
from streamjoin_core.spark.cluster import Cluster
from streamjoin_core.spark.gathering import ANSWERS, Fault, answer_chunks, empty_trace
from streamjoin_core.spark.recording import Layouts, find_layouts, read_rows
from streamjoin_core.spark.session import run, spark_session
from streamjoin_core.spark.surveys import balanced_on, first_counted_time_on
from streamjoin_core.trace.columns import Columns
from streamjoin_core.trace.layout import Request
from streamjoin_core.trace.read import Recording
from streamjoin_core.trace.trace import Trace


@dataclass(frozen=True)
class Cut:
    """How a trace is cut, as the plan of a replay would say it, for what is no replay."""

    problem: str
    parts: int = 1
    warmup: int = 0
    balance: bool = False


def execute_on(
    cluster: Cluster,
    plan: Plan,
    recording: Recording | str | os.PathLike,
    progress: Progress | None = None,
) -> Report:
    """Replay all jobs of a plan on the partitions of a trace, wherever its rows are."""
    layouts, labels, counted, answers = answers_on(
        cluster, plan, recording, _replay, progress or silent
    )
    trace = empty_trace(layouts, labels)
    return make_report(make_work(plan, trace, counted), trace, answers)


def _replay(plan: Plan, counted: int | None, number: int, trace: Trace):
    return answer_warm(answer_partition, make_work(plan, trace, counted), number, trace)


def answers_on(
    cluster: Cluster,
    plan: Plan | Cut,
    recording: Recording | str | os.PathLike,
    answer: Callable,
    progress: Progress,
) -> tuple[Layouts, tuple, int | None, list]:
    """The answers of all partitions, with the trace's labels and the time that counts first.

    `answer` takes the plan, that time, a partition's number and its trace.
    """
    if isinstance(getattr(plan, "model", None), ToFit):
        raise InputError(
            "a model is fitted to the first rows of the whole trace, which no executor has: fit it "
            "with sjoin fit, and give its file with --model"
        )
    recording = as_recording(recording, plan.problem)
    layouts = find_layouts(recording)
    progress("starting Spark", 0, 0)
    with spark_session(cluster) as session:
        rows, numbers = read_rows(session, recording, layouts)
        counted = run(
            session, lambda: first_counted_time_on(rows, layouts, numbers, plan.warmup), progress
        )
        partitioning = Partitioning(plan.parts)
        if plan.balance:
            partitioning = run(
                session, lambda: balanced_on(rows, layouts, numbers, plan.parts), progress
            )
        found = run(
            session,
            lambda: _collect(rows, layouts, numbers, partitioning, partial(answer, plan, counted)),
            progress,
        )
    faults = [entry for entry in found.values() if isinstance(entry, Fault)]
    if faults:
        raise faults[0].kind(faults[0].message)
    labels = next((entry.labels for entry in found.values()), ())
    nothing = empty_trace(layouts, labels)
    answers = [
        found[number].answer if number in found else answer(plan, counted, number, nothing)
        for number in range(plan.parts)
    ]
    return layouts, labels, counted, answers


def as_recording(given: Recording | str | os.PathLike, problem: str) -> Recording:
    if isinstance(given, Recording):
        return given
    if isinstance(given, str | os.PathLike):
        return Recording(given, None, None, Request(Columns(), problem=problem))
    raise InputError("Spark reads a trace from its files: give a path")


def _collect(
    rows, layouts: Layouts, numbers: dict[int, int], partitioning: Partitioning, answer: Callable
) -> dict:
    """Per partition its answer, or what is wrong."""

    def replay(batches):
        return answer_chunks(batches, layouts, answer)

    answers = chunks_of(rows, layouts, numbers, partitioning).mapInArrow(replay, ANSWERS)
    return {record.partition: pickle.loads(record.body) for record in answers.collect()}


def chunks_of(rows, layouts: Layouts, numbers: dict[int, int], partitioning: Partitioning):
    """Chunks, those of one partition together; later versions of Spark put no two in one task."""
    from pyspark.sql import functions as F

    def cut(batches):
        return cut_into_chunks(batches, layouts, numbers, partitioning)

    chunks, number = rows.mapInArrow(cut, CHUNKS), partitioning.number
    if hasattr(chunks, "repartitionById"):
        return chunks.repartitionById(number, F.col("partition"))
    return chunks.repartition(number, "partition")
