"""The same work on many things, in this process or in several beside each other."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence

from streamjoin_core.errors import SjoinError
from streamjoin_core.progress import Progress


def cores() -> int:
    """How many processes can work at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def results_of(work: Callable, things: Sequence, jobs: int, progress: Progress) -> list:
    """What `work`, a function of a module, gives for each of the things, in their order."""
    found = []
    for result in _each(work, things, min(jobs, len(things) - 1)):
        found.append(result)
        progress("running", len(found), len(things))
    return found


def _each(work: Callable, things: Sequence, jobs: int) -> Iterator:
    if jobs <= 1:
        yield from map(work, things)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # The first one here: what has to be compiled is so once, and where its note is seen.
    yield work(things[0])
    # Started afresh: a copy of a process that has threads, as Arrow's, may wait for them for ever.
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_leave_interrupts)
    try:
        yield from pool.map(work, things[1:])
    except BrokenProcessPool as error:
        raise SjoinError(
            "a process was killed, perhaps for lack of memory: take fewer jobs"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_interrupts() -> None:
    """Ctrl-C goes to all processes, and the first one tells the others to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
