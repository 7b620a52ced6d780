"""Work spread over processes that are forked from this one, so that nothing has to be sent to them.

Where the system cannot fork, and for one process, the work is done right here.
"""

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from threading import Thread

from streamjoin_core.errors import SjoinError

_PATIENCE = 5.0  # seconds
# What the forked processes do: a function that could not be sent to them, but is inherited.
_inherited: list[Callable] = []


def spread(work: Callable, waves: Iterable[list], processes: int) -> Iterator[tuple]:
    """Do the work for each item and yield it with its result as soon as it is there.

    A wave starts when the one before is done. The first failure, or an interrupt, ends all.
    """
    if processes == 1 or "fork" not in multiprocessing.get_all_start_methods():
        for wave in waves:
            for item in wave:
                yield item, work(item)
        return
    with _pool(work, processes) as pool:
        for wave in waves:
            items = {pool.submit(_do, item): item for item in wave}
            for future in as_completed(items):
                yield items[future], future.result()


@contextmanager
def _pool(work: Callable, processes: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that end with the block, at once if it fails."""
    others = set(multiprocessing.active_children())
    _inherited.append(work)
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_die_when_interrupted)
    try:
        yield pool
        pool.shutdown()
    except BaseException as error:
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        # Seen to its end, lest it still be closing its pipes while Python itself ends; but not for
        # ever, since it might wait for those that are no more.
        closing = Thread(target=pool.shutdown, kwargs={"cancel_futures": True}, daemon=True)
        closing.start()
        closing.join(_PATIENCE)
        if isinstance(error, BrokenProcessPool):
            raise SjoinError(
                "a process that did a part of the work was killed, perhaps for want of memory: "
                "try fewer at once with --jobs 1"
            ) from error
        raise
    finally:
        _inherited.remove(work)


def _die_when_interrupted() -> None:
    """Without a word: the process that forked this one speaks for all."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _do(item):
    return _inherited[-1](item)
