"""Where a command's trace comes from: files, columns, and what to do with disorder."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cli import options
from streamjoin_core.progress import Progress


@dataclass(frozen=True)
class Columns:
    """How files are read; see `cli.bundles.unpacked`."""

    time_column: options.TimeColumn = "time"
    stream_column: options.StreamColumn = "stream"
    key_column: options.KeyColumn = "key"
    importance_column: options.ImportanceColumn = "importance"
    value_column: options.ValueColumn = "value"
    importance: options.ImportanceTable = None
    importance_bins: options.ImportanceBins = None
    sort: options.Sort = False
    null_keys: options.NullKeys = "error"

    def reader(self, progress: Progress, path: Path | None) -> Callable:
        """A function that reads a trace."""
        return partial(self.recording(path).read, progress)

    def recording(self, path: Path | None, left=None, right=None, **how):
        """Where a trace is and how it is read, for those who read it themselves."""
        from streamjoin_core.trace.columns import Columns as Names
        from streamjoin_core.trace.importance import find_importance
        from streamjoin_core.trace.layout import Request
        from streamjoin_core.trace.read import Recording

        names = Names(
            self.time_column,
            self.stream_column,
            self.key_column,
            self.importance_column,
            self.value_column,
        )
        worth = find_importance(self.importance, self.importance_bins)
        request = Request(names, self.sort, self.null_keys, worth=worth, **how)
        return Recording(path, left, right, request)


@dataclass(frozen=True)
class Source(Columns):
    """A file or folder, or one for each stream; see `cli.bundles.unpacked`."""

    trace: options.Trace = None
    left: options.Left = None
    right: options.Right = None

    def read(self, progress: Progress, problem: str = "joining", group_by: str | None = None):
        """The trace; commands hand this on as a function, since options are checked first."""
        return self.given(progress, problem, group_by)()

    def given(self, progress: Progress, problem: str, group_by: str | None = None, cluster=None):
        """The trace as the core takes it: a function that reads it; for a cluster, its files."""
        sides = (self.trace, self.left, self.right)
        found = self.recording(*sides, group_by=group_by, problem=problem)
        return partial(found.read, progress) if cluster is None else found
