"""A raw file as its format hands it over: named columns, and batches of them."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamjoin_core.errors import InputError
from streamjoin_core.files import reason

COMPRESSIONS = (".gz", ".zst", ".bz2", ".lz4")


@dataclass(frozen=True)
class Dialect:
    """How delimited text is written; the other formats need no such help."""

    header: bool = True
    delimiter: str | None = None  # None: a tab in .tsv files, else a comma


class Raw(ABC):
    """One raw file; it may be read several times, since types show only when all cells were seen.

    A format is a module in `formats/` with its NAME, the SUFFIXES of its files, and a subclass of
    this called `File`, made from the path and a `Dialect`.
    """

    name: str  # the path as the user gave it
    names: list[str]  # all columns, as the user names them
    rows: int | None = None  # None where only reading can tell
    is_text = False  # whether cells are bytes of text, whatever they mean

    @abstractmethod
    def schema(self, names: list[str]) -> pa.Schema:
        """The types of these columns."""

    @abstractmethod
    def batches(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        """The rows in order, with these columns."""


class RowNumbered(Raw):
    """A raw file with its row numbers, from 0, as one more column."""

    def __init__(self, raw: Raw, column: str):
        self._raw = raw
        self._column = column
        self.name, self.rows, self.is_text = raw.name, raw.rows, raw.is_text
        self.names = [*raw.names, column]

    def schema(self, names: list[str]) -> pa.Schema:
        schema = self._raw.schema(self._stored(names))
        self.rows = self._raw.rows
        return schema.append(pa.field(self._column, pa.int64()))

    def batches(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        first = 0
        for batch in self._raw.batches(self._stored(names) or self._raw.names[:1]):
            numbers = pa.array(np.arange(first, first + batch.num_rows))
            yield batch.append_column(self._column, numbers)
            first += batch.num_rows

    def _stored(self, names: list[str]) -> list[str]:
        return [name for name in names if name != self._column]


@contextmanager
def reading(path: str, kind: str) -> Iterator[None]:
    """Turn what Arrow and the system say about a file into one sentence."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot read {path}: {reason(error)}") from error
    except (pa.ArrowException, UnicodeDecodeError) as error:
        detail = str(error).partition("\n")[0].rstrip(".")
        raise InputError(
            f"{path} is not {kind}, or it is truncated: write it anew, or say its format with "
            f"--format ({detail})"
        ) from error


def byte_stream(path: str) -> pa.NativeFile:
    """The file's bytes in order, decompressed if its suffix says that they are compressed.

    Arrow's readers read ahead in the background, even when nobody wants more and the stream is
    closed. A file of Python's then refuses; one of Arrow's would go on with the number that the
    system has given to the next file by then, and take bytes away from who reads that one.
    """
    codec = pa.Codec.detect(path).name if is_compressed(path) else None
    return pa.input_stream(open(path, "rb"), compression=codec)


def is_compressed(path: str) -> bool:
    return path.lower().endswith(COMPRESSIONS)


def refuse_unreadable(path: str) -> None:
    """Refuse what cannot be read several times over."""
    if os.path.isdir(path):
        raise InputError(f"cannot read {path}: it is a folder, name a file in it")
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(f"cannot read {path}: it is read more than once, so save it as a file")
