"""Where a command's trace comes from: files, columns, and what to do with disorder."""

from dataclasses import dataclass

from cli import options
from streamjoin_core.progress import Progress


@dataclass(frozen=True)
class Source:
    """A file or folder, or one for each stream; see `cli.bundles.unpacked`."""

    trace: options.Trace = None
    left: options.Left = None
    right: options.Right = None
    time_column: options.TimeColumn = "time"
    stream_column: options.StreamColumn = "stream"
    key_column: options.KeyColumn = "key"
    importance_column: options.ImportanceColumn = "importance"
    value_column: options.ValueColumn = "value"
    sort: options.Sort = False
    null_keys: options.NullKeys = "error"

    def read(self, progress: Progress, problem: str = "joining", group_by: str | None = None):
        """The trace; commands hand this on as a function, since options are checked first."""
        from streamjoin_core.trace.columns import Columns
        from streamjoin_core.trace.read import read_trace

        return read_trace(
            self.trace,
            left=self.left,
            right=self.right,
            columns=Columns(
                self.time_column,
                self.stream_column,
                self.key_column,
                self.importance_column,
                self.value_column,
            ),
            sort=self.sort,
            null_keys=self.null_keys,
            group_by=group_by,
            problem=problem,
            progress=progress,
        )
