"""Counting the pairs of a join by ranges of rows; where keys suffice, no pair is looked at."""

from typing import NamedTuple

import numpy as np

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.condition import (
    EQUAL,
    KeyCounts,
    count,
    joining,
    keys_join,
    new_counts,
)
from streamjoin_core.engine.joining import Join
from streamjoin_core.engine.rules import step_end
from streamjoin_core.optimal.production import Partners, first_from


def partners_between(
    join: Join, partners: Partners, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Per row the number of its partners from `low` up to before `high`, and the last, or -1."""
    number = len(join.rows.time)
    found = np.zeros(number, np.int64), np.full(number, -1, np.int64)
    first = np.maximum(partners.first, low)
    end = np.minimum(partners.end, high)
    _count_between(join.rows, join.rules, partners._replace(first=first, end=end), *found)
    return found


@entry_point
def _count_between(rows, rules, partners, number, last):
    keys = len(partners.starts) // 2
    for row in range(len(rows.time)):
        first, end = partners.first[row], partners.end[row]
        stream, key = rows.stream[row], np.int64(rows.key[row])
        if first >= end:
            continue
        if rules.condition.kind == EQUAL:
            bucket = (1 - np.int64(stream)) * keys + key
            bottom, top = partners.starts[bucket], partners.starts[bucket + 1]
            place = first_from(partners.by_key, bottom, top, first)
            beyond = first_from(partners.by_key, place, top, end)
            number[row] = beyond - place
            if beyond > place:
                last[row] = partners.by_key[beyond - 1]
        else:
            for partner in range(first, end):
                is_other = rows.stream[partner] != stream
                if is_other and keys_join(rules.condition, stream, key, rows.key[partner]):
                    number[row] += 1
                    last[row] = partner


class Pairs(NamedTuple):
    """Pairs by their rows."""

    earlier: np.ndarray  # int32
    later: np.ndarray  # int32


def list_partners(
    join: Join, partners: Partners, low: np.ndarray, number: np.ndarray, rows: range
) -> Pairs:
    """The partners from `low` on of some rows, which have so many of them."""
    total = int(number[rows.start : rows.stop].sum())
    pairs = Pairs(np.empty(total, np.int32), np.empty(total, np.int32))
    first = np.maximum(partners.first, low)
    shifted = partners._replace(first=first)
    _list(join.rows, join.rules, shifted, rows.start, rows.stop, pairs)
    return pairs


@inner
def _note(pairs, place, earlier, later):
    pairs.earlier[place] = earlier
    pairs.later[place] = later
    return place + 1


@entry_point
def _list(rows, rules, partners, start, stop, pairs):
    keys = len(partners.starts) // 2
    at = 0
    for row in range(start, stop):
        first, end = partners.first[row], partners.end[row]
        stream, key = rows.stream[row], np.int64(rows.key[row])
        if first >= end:
            continue
        if rules.condition.kind == EQUAL:
            bucket = (1 - np.int64(stream)) * keys + key
            top = partners.starts[bucket + 1]
            place = first_from(partners.by_key, partners.starts[bucket], top, first)
            while place < top and partners.by_key[place] < end:
                at = _note(pairs, at, row, partners.by_key[place])
                place += 1
        else:
            for partner in range(first, end):
                is_other = rows.stream[partner] != stream
                if is_other and keys_join(rules.condition, stream, key, rows.key[partner]):
                    at = _note(pairs, at, row, partner)


class _Departures(NamedTuple):
    order: np.ndarray  # int64 [row]: rows in the order in which they leave
    until: np.ndarray  # int64 [row]
    held: KeyCounts


def results_of_arrivals(join: Join, until: np.ndarray) -> np.ndarray:
    """Per row its results with earlier rows, each of which can be met before row `until`."""
    order = np.argsort(until, kind="stable")
    held = new_counts(join.number_of_keys, join.rules.condition.kind)
    results = np.zeros(len(until), np.int64)
    _meet_held(join.rows, join.rules, _Departures(order, until, held), results)
    return results


@entry_point
def _meet_held(rows, rules, departures, results):
    kind = rules.condition.kind
    number = len(rows.time)
    gone = 0
    start = 0
    while start < number:
        end = step_end(rows.time, start)
        while gone < number and departures.until[departures.order[gone]] <= start:
            row = departures.order[gone]
            count(departures.held, kind, rows.stream[row], rows.key[row], -1)
            gone += 1
        if start >= rules.first_counted:
            for row in range(start, end):
                results[row] = joining(
                    departures.held, rules.condition, rows.stream[row], rows.key[row]
                )
        for row in range(start, end):
            count(departures.held, kind, rows.stream[row], rows.key[row], 1)
        start = end
