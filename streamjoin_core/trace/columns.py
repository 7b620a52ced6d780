"""The names under which a file keeps a trace's columns."""

from dataclasses import dataclass

# How a command's user maps each column.
OPTIONS = {
    "time": "--time-col",
    "stream": "--stream-col",
    "key": "--key-col",
    "importance": "--importance-col",
    "value": "--value-col",
    "group": "--group-by",
    "attribute": "the header of --importance",
}


@dataclass(frozen=True)
class Columns:
    """Column names; `importance` and `value` may be missing from a file under these defaults."""

    time: str = "time"
    stream: str = "stream"
    key: str = "key"
    importance: str = "importance"
    value: str = "value"
