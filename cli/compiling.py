"""A note on stderr when a policy is compiled, so that nobody wonders why it takes so long."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from streamjoin_core.progress import Progress


@contextmanager
def noting_compilation(progress: Progress, quiet: bool = False) -> Iterator[Progress]:
    """Yield the callback, which also tells what is at work when something has to be compiled."""
    if quiet or not sys.stderr.isatty():
        yield progress
        return
    from numba.core import event

    class Note(event.Listener):
        def __init__(self):
            self.work = "reading"
            self.told = set()

        def update(self, what: str, done: int, total: int) -> None:
            self.work = what
            progress(what, done, total)

        def on_start(self, event) -> None:
            if self.work not in self.told:
                self.told.add(self.work)
                policy = self.work.removeprefix("replaying ")
                what = "the engine" if policy == self.work else f"policy {policy}"
                # Printed, since a progress bar that is up makes room for what is printed.
                print(f"sjoin: compiling {what} for this machine, once", file=sys.stderr)

        def on_end(self, event) -> None:
            pass

    note = Note()
    with event.install_listener("numba:compile", note):
        yield note.update
