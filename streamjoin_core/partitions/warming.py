"""Compiling once per machine what several processes are about to run at the same time."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from streamjoin_core.engine.compiled import cache_directory
from streamjoin_core.trace.trace import Trace

_FEW_ROWS = 64
_warm: set = set()


def answer_warm(answer: Callable, work, number: int, trace: Trace):
    """A partition's answer, once its first rows were worked on by one process after the other.

    So one of them compiles, and the others find its work in the cache.
    """
    kind = (answer.__name__, tuple(policy.name for policy, _ in work.plan.policies), work.plan.opt)
    if kind not in _warm:
        with _one_at_a_time():
            answer(work, number, _first_rows(trace))
        _warm.add(kind)
    return answer(work, number, trace)


def _first_rows(trace: Trace) -> Trace:
    columns = {
        name: None if getattr(trace, name) is None else getattr(trace, name)[:_FEW_ROWS]
        for name in ("time", "stream", "key", "importance", "value", "group")
    }
    return replace(trace, **columns)


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    directory = cache_directory()
    if directory is None:
        yield
        return
    with (directory / "compiling").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
