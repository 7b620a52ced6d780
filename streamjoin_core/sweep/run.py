"""Carrying out a sweep: which tasks there are, who does them, and the report of all."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace

from streamjoin_core.errors import InputError
from streamjoin_core.execute import Prepared, prepare, report_of
from streamjoin_core.forked import spread
from streamjoin_core.options import whole_number
from streamjoin_core.parameters import Parameters
from streamjoin_core.plan import Job, Plan
from streamjoin_core.policies.base import Policy
from streamjoin_core.processes import cores
from streamjoin_core.progress import Progress, silent
from streamjoin_core.report.measures import LOSSES, share
from streamjoin_core.report.report import CachingRun, JoinRun, Report
from streamjoin_core.report.write import check_report_path, write_report
from streamjoin_core.sweep.journal import Journal

OPTIMUM = "opt"  # the policy whose runs come from one solve


@dataclass(frozen=True)
class Solve:
    """The optimum for all memories, which is one task."""

    policy: Policy
    params: Parameters

    @property
    def name(self) -> str:
        return self.policy.label(self.params)


@dataclass(frozen=True)
class Replay:
    """One run of one policy."""

    job: Job

    @property
    def name(self) -> str:
        return f"{self.job.label} {self.job.mem} {self.job.seed}"


Task = Solve | Replay


def run_sweep(
    plan: Plan,
    trace,
    *,
    jobs: int | None,
    spark=None,
    output: str | os.PathLike | None,
    resume: bool,
    note: Callable[[str], None] | None,
    progress: Progress | None,
) -> Report:
    """Do all tasks of a sweep that have not been done before."""
    progress = progress or silent
    if spark is not None and jobs is not None:
        raise InputError("--jobs is for this machine alone: leave out either it or --spark")
    processes = cores() if jobs is None else whole_number("number of jobs", jobs, least=1)
    if output is not None:
        check_report_path(output)
    _refuse_other_parts(plan)
    with _workers(plan, trace, processes, spark, progress) as (account, options, do):
        journal = Journal(output, {"trace": account, "options": options}, resume)
        if resume and note:
            note(f"{len(journal.known)} of {len(_tasks(plan))} tasks are taken from {journal.path}")
        try:
            _do_tasks(plan, do, journal, progress)
            report = report_of(account, options, _with_ratios(_all_runs(plan, journal)))
            if output is not None:
                write_report(report, output)
        except KeyboardInterrupt as interrupt:
            journal.close(keep=bool(journal.known))
            raise KeyboardInterrupt(*_what_is_kept(plan, journal)) from interrupt
        except BaseException:
            journal.close(keep=bool(journal.known))
            raise
        journal.close(keep=False)
    return report


@contextmanager
def _workers(plan: Plan, trace, processes: int, spark, progress: Progress) -> Iterator[tuple]:
    """The accounts of the trace and the options, and who does waves of tasks: here, or there."""
    if spark is not None:
        from streamjoin_core.spark.sweep import tasks_on

        with tasks_on(spark, plan, trace, progress) as workers:
            yield workers
        return
    prepared = prepare(plan, trace, progress)

    def do(work: Callable, waves: list[list[Task]]) -> Iterator[tuple]:
        # Before the processes are forked, so that they share it.
        if prepared.join is not None and any(waves):
            _ = prepared.join.unlimited, prepared.join.exact_importance
        at_once = min(processes, len(_tasks(plan)))
        return spread(lambda task: work(prepared, task), waves, at_once)

    yield prepared.trace.account(), prepared.options, do


def _refuse_other_parts(plan: Plan) -> None:
    """The optimum's own split is by the curves of the whole trace."""
    has_optimum = any(policy.name == OPTIMUM for policy, _ in plan.policies)
    if has_optimum and plan.split.is_auto and plan.age_curve.kind != "learn":
        raise InputError("the optimum of --split auto goes by --age-curve learn: leave one out")


def _what_is_kept(plan: Plan, journal: Journal) -> tuple[str, ...]:
    if journal.path is None or not journal.known:
        return ()
    done, all_tasks = len(journal.known), len(_tasks(plan))
    return (f"{done} of {all_tasks} tasks are kept in {journal.path}: --resume goes on from there",)


def _tasks(plan: Plan) -> list[Task]:
    solves = [Solve(*chosen) for chosen in plan.policies if chosen[0].name == OPTIMUM]
    replays = [Replay(job) for job in plan.jobs() if job.policy.name != OPTIMUM]
    return [*solves, *replays]


def _do_tasks(plan: Plan, do: Callable, journal: Journal, progress: Progress) -> None:
    tasks = _tasks(plan)
    missing = [task for task in tasks if task.name not in journal.known]
    done = len(tasks) - len(missing)
    progress("sweeping", done, len(tasks))
    for task, runs in do(_do, _waves(missing)):
        done += 1
        journal.add(task.name, runs)
        progress(f"sweeping {task.name.partition(' ')[0]}", done, len(tasks))


def _waves(tasks: list[Task]) -> list[list[Task]]:
    """First one task for each policy, which compiles it for all others; the long ones first."""
    first = {}
    for task in tasks:
        policy = task.policy if isinstance(task, Solve) else task.job.policy
        first.setdefault((type(task), policy.name), task)
    pioneers = list(first.values())
    rest = [task for task in tasks if task not in pioneers]
    return [pioneers, sorted(rest, key=_size, reverse=True)]


def _size(task: Task) -> int:
    return task.job.mem if isinstance(task, Replay) else 0


def _do(prepared: Prepared, task: Task) -> list[JoinRun] | list[CachingRun]:
    if isinstance(task, Replay):
        return [prepared.run(task.job)]
    from streamjoin_core.optimise import answer, ask

    plan = prepared.plan
    question = ask(
        prepared.trace,
        mem=plan.memories,
        objective=task.params.objective,
        warmup=plan.warmup,
        **plan.joining_options(),
    )
    return [_as_join_run(best) for best in answer(question, may_stop=False).runs]


def _as_join_run(best) -> JoinRun:
    """What the optimum decides; the rest depends on which of the best schedules is taken."""
    decided = {entry.name: getattr(best, entry.name, None) for entry in fields(JoinRun)}
    return JoinRun(**decided | {"losses": dict.fromkeys(LOSSES)})


def _all_runs(plan: Plan, journal: Journal) -> list[JoinRun] | list[CachingRun]:
    """In the order of the report: policies as given, then memories, then seeds."""
    kind = CachingRun if plan.problem == "caching" else JoinRun
    of_policy = {policy.label(params): [] for policy, params in plan.policies}
    for task in _tasks(plan):
        for run in journal.known[task.name]:
            of_policy[run["label"]].append(kind(**_with_parts(run)))
    return [run for runs in of_policy.values() for run in runs]


def _with_parts(run: dict) -> dict:
    """JSON knows no tuples."""
    return run | {"parts": tuple(run["parts"])} if run.get("parts") else run


def _with_ratios(runs: list) -> list:
    """Each run's share of the optimum, if that is one of the policies."""
    best = {run.mem: run.results for run in runs if run.label == OPTIMUM}
    if not best:
        return runs
    return [
        run if run.results is None else replace(run, ratio_to_opt=share(run.results, best[run.mem]))
        for run in runs
    ]
