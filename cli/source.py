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

    def reader(self, progress: Progress, path: Path | None, **given) -> Callable:
        """A function that reads a trace."""
        from streamjoin_core.trace.columns import Columns as Names
        from streamjoin_core.trace.read import read_trace

        names = Names(
            self.time_column,
            self.stream_column,
            self.key_column,
            self.importance_column,
            self.value_column,
        )
        return partial(
            read_trace,
            path,
            columns=names,
            sort=self.sort,
            null_keys=self.null_keys,
            importance=self.importance,
            importance_bins=self.importance_bins,
            progress=progress,
            **given,
        )


@dataclass(frozen=True)
class Source(Columns):
    """A file or folder, or one for each stream; see `cli.bundles.unpacked`."""

    trace: options.Trace = None
    left: options.Left = None
    right: options.Right = None

    def read(self, progress: Progress, problem: str = "joining", group_by: str | None = None):
        """The trace; commands hand this on as a function, since options are checked first."""
        sides = {"left": self.left, "right": self.right}
        return self.reader(progress, self.trace, group_by=group_by, problem=problem, **sides)()
