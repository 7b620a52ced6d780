"""Work on partitions in several processes of this machine."""

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from streamjoin_core.errors import SjoinError

Each = Callable[[Iterable[tuple]], Iterator]


@contextmanager
def processes(function: Callable, jobs: int) -> Iterator[Each | None]:
    """What calls a function with each of several tuples, in so many processes; None if in this one.

    Results come as they are ready. The processes load what the function needs while this one reads
    the trace. They are started afresh, not forked, as threads of this one may hold locks.
    """
    if jobs == 1:
        yield None
        return
    # Not loaded where it is not used: that takes time and memory.
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _ignore_interrupts)
    running: set = set()
    try:
        for _ in range(jobs):
            pool.submit(_load, function)
        yield partial(_results_of, pool, function, jobs, running)
    except BrokenProcessPool:
        raise SjoinError(
            "a process was ended from outside, perhaps for lack of memory: take fewer --jobs, or "
            "more --partitions"
        ) from None
    finally:
        for future in running:
            future.cancel()
        pool.shutdown(wait=not running, cancel_futures=True)


def _results_of(
    pool, function: Callable, jobs: int, running: set, tasks: Iterable[tuple]
) -> Iterator:
    """Only as many tasks are made as are worked on, with one more for whoever is done first."""
    for task in tasks:
        if len(running) > jobs:
            yield from _ready(running)
        running.add(pool.submit(function, *task))
    while running:
        yield from _ready(running)


def _ready(running: set) -> Iterator:
    """What is ready next, taken off the set of what runs."""
    from concurrent.futures import FIRST_COMPLETED, wait

    done, _ = wait(running, return_when=FIRST_COMPLETED)
    running -= done
    for future in done:
        yield future.result()


def _load(function: Callable) -> None:
    """Whoever is sent a function has loaded what it is made of."""


def _ignore_interrupts() -> None:
    """Ctrl-C goes to all processes, but only the first one has something to say about it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
