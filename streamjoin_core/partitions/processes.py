"""Work on partitions in several processes of this machine."""

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from streamjoin_core.errors import SjoinError


def in_processes(function: Callable, tasks: Iterable[tuple], jobs: int) -> Iterator:
    """Call a function with each tuple of arguments; results come as they are ready.

    Processes are started afresh, not forked, as threads of this one may hold locks. Of the tasks
    only as many are made as are worked on, with one more for whoever is done first.
    """
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_ignore_interrupts)
    running: set[Future] = set()
    try:
        for task in tasks:
            if len(running) > jobs:
                yield from _results(running)
            running.add(pool.submit(function, *task))
        while running:
            yield from _results(running)
    except BrokenProcessPool:
        raise SjoinError(
            "a process was ended from outside, perhaps for lack of memory: take fewer --jobs, or "
            "more --partitions"
        ) from None
    finally:
        for future in running:
            future.cancel()
        pool.shutdown(wait=not running, cancel_futures=True)


def _results(running: set[Future]) -> Iterator:
    """What is ready next, taken off the set of what runs."""
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    running -= done
    for future in done:
        yield future.result()


def _ignore_interrupts() -> None:
    """Ctrl-C goes to all processes, but only the first one has something to say about it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
