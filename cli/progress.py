"""A progress bar on stderr for whatever takes longer than two seconds."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from streamjoin_core.progress import Progress, silent

_PATIENCE = 2.0  # seconds before a bar appears


@contextmanager
def progress_bar(quiet: bool = False) -> Iterator[Progress]:
    """Yield a callback that shows how far the work is; nothing appears unless someone watches."""
    if quiet or not sys.stderr.isatty():
        yield silent
        return
    bar = _Bar()
    try:
        yield bar.update
    finally:
        bar.close()


class _Bar:
    def __init__(self):
        self._started = time.monotonic()
        self._display = None
        self._task = None

    def update(self, what: str, done: int, total: int) -> None:
        if self._display is None:
            if time.monotonic() - self._started < _PATIENCE:
                return
            self._open()
        self._display.update(self._task, description=what, completed=done, total=total or None)

    def _open(self) -> None:
        from rich import progress
        from rich.console import Console

        self._display = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.TaskProgressColumn(),
            progress.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._display.start()
        self._task = self._display.add_task("")

    def close(self) -> None:
        if self._display is not None:
            self._display.stop()
