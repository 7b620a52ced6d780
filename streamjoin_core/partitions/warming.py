"""Compiling once per machine what several processes are about to run at the same time."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

from streamjoin_core.engine.compiled import cache_directory
from streamjoin_core.partitions.partitioning import rows_of
from streamjoin_core.trace.trace import Trace

_FEW_ROWS = 64
_warm: set = set()


def answer_warm(answer: Callable, work, number: int, trace: Trace):
    """A partition's answer, once its first rows were worked on by one process after the other.

    So one of them compiles, and the others find its work in the cache.
    """
    kind = (answer.__name__, tuple(policy.name for policy, _ in work.plan.policies), work.plan.opt)
    if kind not in _warm:
        with one_at_a_time():
            answer(work, number, rows_of(trace, slice(_FEW_ROWS)))
        _warm.add(kind)
    return answer(work, number, trace)


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Let no two processes of this machine do at once what the block does."""
    directory = cache_directory()
    with ExitStack() as lock:
        if directory is not None:
            # A cache that is lost meanwhile is made anew by whoever compiles.
            with suppress(OSError):
                file = lock.enter_context((directory / "compiling").open("a"))
                fcntl.flock(file, fcntl.LOCK_EX)
        yield
