"""A sweep over a Spark cluster: every cell of the grid is a task.

A cell needs the whole trace, so each executor's process reads it once, and keeps it for the next
cells; so the trace must fit there, and its files must be where executors see them.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from streamjoin_core.execute import Prepared, prepare
from streamjoin_core.partitions.warming import one_at_a_time
from streamjoin_core.plan import Plan
from streamjoin_core.progress import Progress, silent
from streamjoin_core.spark.cluster import Cluster
from streamjoin_core.spark.items import from_anywhere, results_on
from streamjoin_core.spark.replay import as_recording
from streamjoin_core.spark.session import slots, spark_session
from streamjoin_core.trace.read import Recording

_ROUNDS = 4  # cells per core that are worked on before any of them is noted
_prepared: dict[str, Prepared] = {}  # what this process works on, by the sweep's own name


@contextmanager
def tasks_on(cluster: Cluster, plan: Plan, trace, progress: Progress) -> Iterator[tuple]:
    """The accounts of the trace and of the options, and a function that does waves of tasks.

    That function takes what is to be done with a prepared plan and a task, and the waves.
    """
    given = as_recording(trace, plan.problem)
    recording = from_anywhere(given)
    sweep = secrets.token_hex(8)
    progress("starting Spark", 0, 0)
    with spark_session(cluster) as session:
        accounts = partial(_accounts, sweep, plan, recording)
        ((account, options),) = results_on(session, accounts, [None], progress)
        at_once = _ROUNDS * slots(session)

        def do(work: Callable, waves: list[list]) -> Iterator[tuple]:
            for wave in waves:
                for start in range(0, len(wave), at_once):
                    some = wave[start : start + at_once]
                    task = partial(_do, sweep, plan, recording, work)
                    yield from zip(some, results_on(session, task, some, silent), strict=True)

        yield account | {"path": given.origin}, options, do


def _accounts(sweep: str, plan: Plan, recording: Recording, _: None) -> tuple[dict, dict]:
    prepared = _ready(sweep, plan, recording)
    return prepared.trace.account(), prepared.options


def _do(sweep: str, plan: Plan, recording: Recording, work: Callable, task):
    return work(_ready(sweep, plan, recording), task)


def _ready(sweep: str, plan: Plan, recording: Recording) -> Prepared:
    """The plan on the whole trace, as this process has it already, or reads it now."""
    if sweep not in _prepared:
        _prepared.clear()
        with one_at_a_time():
            _prepared[sweep] = prepare(plan, recording.read, silent)
    return _prepared[sweep]
