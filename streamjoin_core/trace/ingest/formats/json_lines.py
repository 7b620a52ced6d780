"""JSON lines: one object per line, its fields the columns; a field left out is null."""

import json
import re
from collections.abc import Iterator

import pyarrow as pa
from pyarrow import json as arrow_json

from streamjoin_core.errors import InputError
from streamjoin_core.trace.ingest.raw import Dialect, Raw, byte_stream, reading

NAME = "json"
SUFFIXES = (".jsonl", ".ndjson", ".json")

_BLOCK_BYTES = 1 << 22
# What a field may hold, each type tried when those before it do not fit. Integers beyond int64
# come as decimals, since doubles would merge some of them.
_NUMBERS = (pa.int64(), pa.decimal256(76, 0), pa.float64())
_LADDER = (*_NUMBERS, pa.string(), pa.bool_())
_KIND_CHANGE = re.compile(r"Column\(/(.+)\) changed from \w+ to (\w+) in row (\d+)")
_BAD_ROW = re.compile(r"JSON parse error: (.*?)\.? in row (\d+)")


class File(Raw):
    def __init__(self, path: str, dialect: Dialect):
        self.name = path
        first_block = next(self._blocks(), b"")
        self.names = self._names_in(first_block)
        self._types: dict[str, pa.DataType] = {}
        self._filled: set[str] = set()  # fields with a value so far

    def schema(self, names: list[str]) -> pa.Schema:
        """The first type for each field that fits it in all rows, found by reading them."""
        self._types |= dict.fromkeys(names, _LADDER[0])
        self.rows = 0
        for block in self._blocks():
            try:
                table = _parse(block, self._schema(names))
            except pa.ArrowInvalid:
                self._types |= {name: self._climb(block, name) for name in names}
                table = _parse(block, self._schema(names))
            self._filled |= {name for name in names if table[name].null_count < len(table)}
            self.rows += len(table)
        return self._schema(names)

    def batches(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        row = 0
        for block in self._blocks():
            try:
                table = _parse(block, self._schema(names))
            except pa.ArrowInvalid as error:
                raise self._refusal(error, row) from error
            yield from table.to_batches()
            row += len(table)

    def _schema(self, names: list[str]) -> pa.Schema:
        return pa.schema([(name, self._types[name]) for name in names])

    def _climb(self, block: bytes, name: str) -> pa.DataType:
        """The first type, from the present one on, that fits a field in a block."""
        present = self._types[name]
        ladder = _LADDER[_LADDER.index(present) :]
        if name in self._filled:
            ladder = [type_ for type_ in ladder if type_ == present or type_ in _NUMBERS]
        first_error = None
        for type_ in ladder:
            try:
                _parse(block, pa.schema([(name, type_)]))
                return type_
            except pa.ArrowInvalid as error:
                first_error = first_error or error
        raise self._refusal(first_error, self.rows) from first_error

    def _blocks(self) -> Iterator[bytes]:
        """The file cut at line ends, without blocks of blank lines."""
        with reading(self.name, "JSON lines"), byte_stream(self.name) as stream:
            rest = b""
            while data := stream.read(_BLOCK_BYTES):
                head, newline, tail = data.rpartition(b"\n")
                if newline:
                    block, rest = rest + head + newline, tail
                    if not block.isspace():
                        yield block
                else:
                    rest += data
            if rest and not rest.isspace():
                yield rest

    def _names_in(self, block: bytes) -> list[str]:
        """All fields of the first block, in order of first sight."""
        if block.lstrip().startswith(b"["):
            raise InputError(
                f"{self.name} holds a JSON array: write one object per line, as jq -c '.[]' does"
            )
        names: dict[str, None] = {}
        lines = (line for line in block.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip())
        for row, line in enumerate(lines):
            try:
                names |= dict.fromkeys(dict(json.loads(line)))
            except (ValueError, TypeError, RecursionError) as error:
                raise self._no_object(row, str(error)) from error
        if not names:
            raise InputError(f"{self.name} holds no JSON object: give it at least one row")
        return list(names)

    def _refusal(self, error: pa.ArrowInvalid, first: int) -> InputError:
        """The error of a row, given the first row of its block."""
        told = str(error)
        if found := _KIND_CHANGE.search(told):
            name, kind, row = found[1], found[2], first + int(found[3])
            return InputError(
                f"{self.name}: column {name!r}, row {row} (counted from 0) holds a JSON {kind}, "
                "but a column holds numbers only or strings only: write it so, or choose another"
            )
        if found := _BAD_ROW.search(told):
            return self._no_object(first + int(found[2]), found[1])
        return InputError(f"{self.name}: cannot read the rows from {first} on: {told}")

    def _no_object(self, row: int, detail: str) -> InputError:
        return InputError(
            f"{self.name}: row {row} (counted from 0) is not a JSON object: write one per line "
            f"({detail})"
        )


def _parse(block: bytes, schema: pa.Schema) -> pa.Table:
    wide = [field.name for field in schema if pa.types.is_decimal(field.type)]
    if wide:
        # Arrow would take strings of digits as decimals, but not as doubles.
        _read(block, pa.schema([(name, pa.float64()) for name in wide]))
    return _read(block, schema)


def _read(block: bytes, schema: pa.Schema) -> pa.Table:
    return arrow_json.read_json(
        pa.BufferReader(block),
        # One Arrow block, so that the row in an error counts from the start of ours.
        arrow_json.ReadOptions(use_threads=False, block_size=len(block) + 1),
        arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
    )
