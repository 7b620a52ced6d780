"""Delimited text: comma, tab, or what the user says; quotes may hold delimiters and line ends."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
from pyarrow import csv

from streamjoin_core.errors import InputError
from streamjoin_core.trace.ingest.raw import Dialect, Raw, byte_stream, reading

NAME = "csv"
SUFFIXES = (".csv", ".tsv")

_BLOCK_BYTES = 1 << 20
_WRONG_LENGTH = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")


class File(Raw):
    """Cells come as bytes, so that whoever knows their role decides what they mean."""

    is_text = True

    def __init__(self, path: str, dialect: Dialect):
        self.name = path
        self._has_header = dialect.header
        self._delimiter = _delimiter(path, dialect)
        with self._open() as reader:
            self._stored = reader.schema.names
        if dialect.header:
            self.names = [name.strip() for name in self._stored]
        else:
            self.names = [str(position) for position in range(len(self._stored))]

    def schema(self, names: list[str]) -> pa.Schema:
        return pa.schema([(name, pa.binary()) for name in names])

    def batches(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        stored = [self._stored[self.names.index(name)] for name in names]
        with self._open(stored) as reader:
            for batch in reader:
                yield batch.rename_columns(names)
                pa.default_memory_pool().release_unused()

    @contextmanager
    def _open(self, columns: list[str] | None = None) -> Iterator[csv.CSVStreamingReader]:
        with reading(self.name, "delimited text"), byte_stream(self.name) as stream:
            try:
                yield csv.open_csv(
                    stream,
                    # One thread is as fast here, and knows the rows of bad lines.
                    csv.ReadOptions(
                        use_threads=False,
                        block_size=_BLOCK_BYTES,
                        autogenerate_column_names=not self._has_header,
                    ),
                    csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
                    csv.ConvertOptions(
                        include_columns=columns,
                        column_types=dict.fromkeys(columns or (), pa.binary()),
                    ),
                )
            except pa.ArrowInvalid as error:
                raise self._refusal(str(error)) from error

    def _refusal(self, told: str) -> InputError:
        if found := _WRONG_LENGTH.search(told):
            number, expected, got = map(int, found.groups())
            row = number - 1 - self._has_header
            return InputError(
                f"{self.name}: row {row} (counted from 0) has {got} cells and the first line "
                f"{expected}: mend it, or choose another --delimiter"
            )
        if "straddling" in told or "out of sync" in told:
            return InputError(
                f"{self.name} has a quote that is never closed, or a row of more than "
                f"{_BLOCK_BYTES >> 20} MiB: mend it"
            )
        if told.startswith("Empty CSV") or "cannot infer number of columns" in told:
            return InputError(f"{self.name} is empty: it needs at least a line with column names")
        return InputError(f"{self.name} is no delimited text: {told.partition(chr(10))[0]}")


def _delimiter(path: str, dialect: Dialect) -> str:
    if dialect.delimiter is None:
        return "\t" if ".tsv" in path.lower() else ","
    delimiter = {r"\t": "\t", "tab": "\t"}.get(dialect.delimiter, dialect.delimiter)
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n':
        raise InputError(
            f"delimiter {dialect.delimiter!r} cannot part cells: give one ASCII character, or tab"
        )
    return delimiter
