"""Stream labels as 0 and 1."""

import numpy as np
import pyarrow as pa
from pyarrow import types

from streamjoin_core.errors import InputError
from streamjoin_core.trace.cells import numbers, plain, refuse_missing
from streamjoin_core.trace.source import Place


class StreamEncoder:
    """Numbers the labels in order of first sight, then by sort order: the first is the left one."""

    def __init__(self, problem: str):
        self.labels: list = []  # in order of first sight
        self._most = streams_of(problem)

    def encode(self, column: pa.Array, name: str, place: Place) -> np.ndarray:
        column = plain(column)
        refuse_missing(column, name, place, "every arrival needs a stream label")
        if not types.is_dictionary(column.type):
            column = column.dictionary_encode()
        indices = numbers(column.indices)
        ids = np.zeros(len(column.dictionary), np.uint8)
        known = len(self.labels)
        # A dictionary may hold labels that do not occur.
        for index in np.flatnonzero(np.bincount(indices, minlength=len(ids))):
            label = column.dictionary[index].as_py()
            if label not in self.labels:
                self.labels.append(label)
            if len(self.labels) > self._most:
                raise self._surplus(self.labels[:known], column, name, place)
            ids[index] = self.labels.index(label)
        return ids[indices]

    def finish(self, stream: np.ndarray) -> tuple:
        """The labels that occur, ascending; `stream` is renumbered in place to match."""
        labels = tuple(sorted(self.labels))
        if labels != tuple(self.labels):
            np.bitwise_xor(stream, 1, out=stream)
        return labels

    def _surplus(self, seen: list, column: pa.Array, name: str, place: Place) -> InputError:
        """The error of the first row whose label is one too many."""
        labels = column.to_pylist()
        firsts = [labels.index(label) for label in dict.fromkeys(labels) if label not in seen]
        row = firsts[self._most - len(seen)]
        known = [*seen, *(labels[first] for first in firsts)][: self._most]
        return one_label_too_many(place, name, row, labels[row], known)


def streams_of(problem: str) -> int:
    """How many streams a problem has."""
    return 1 if problem == "caching" else 2


def one_label_too_many(place: Place, name: str, index: int, label, known: list) -> InputError:
    """The error of a row whose label comes after as many as there can be."""
    rule = "caching has one stream" if len(known) == 1 else "a join has two streams"
    return place.error(
        name,
        index,
        f"is {label!r} after {' and '.join(map(repr, known))}, but {rule}: keep only the rows of "
        "the streams wanted, or choose another column with --stream-col",
    )
