"""The slow join: semantics of one replay, step by step, in plain Python.

Written from the specification alone and for reading: every phase scans everything it may need,
scores are fractions, and the exact join is a double loop.
"""

from collections import Counter
from fractions import Fraction
from itertools import groupby

from tests.oracle.join_measures import measures
from tests.oracle.rules import (
    COMBINATIONS,
    draw,
    keys_join,
    memory_parts,
    split_mix,
    swap_remove,
    window_pair,
)
from tests.oracle.stays import slow_stays

ALIASES = {"recent": "fifo", "size": "prob"}
OLDEST_FIRST = ("fifo", "ttl", "jtl")


def slow_replay(
    rows,
    *,
    policy,
    params=None,
    mem,
    window=None,
    window_kind="time",
    split="shared",
    order="probe-first",
    on="=",
    band=None,
    combine="min",
    warmup=0,
    seed=0,
    pmf=None,
    count_same_step=False,
    worth=None,
    kind=None,
) -> dict:
    """Replay rows of (time, stream 0 or 1, key, importance, group) and return every measure.

    `worth(row, time)` is the importance then, if it changes; `kind` a Replay of its own.
    Beside the measures: `fates` (one (how, leaving time) per row; how is dropped, evicted, expired
    by the window, left by ttl or jtl, or still cached), `cached_after_step` (sets of rows) and
    `pairs` (earlier row, later row) as produced, warm-up included.
    """
    join = Arrivals(rows, window_pair(window), window_kind, on, band, worth)
    run = (kind or Replay)(
        join, ALIASES.get(policy, policy), params or {}, mem, split, order, seed, pmf
    )
    run.combine = combine
    for step in range(len(join.steps)):
        run.step(step)
    return {
        **measures(join, run, combine, warmup, count_same_step),
        "recomputations": run.recomputations,
        "stays": slow_stays(join, run),
        "fates": [run.fates.get(row, ("cached", None)) for row in range(len(rows))],
        "cached_after_step": run.cached_after_step,
        "pairs": run.pairs,
    }


class Arrivals:
    """What a trace says without any memory: steps, windows and the pairs of the exact join."""

    def __init__(self, rows, windows, window_kind, on, band, worth=None):
        self.worth = worth
        self.rows, self.windows, self.window_kind = rows, windows, window_kind
        self.on, self.band = on, band
        numbered = groupby(range(len(rows)), key=lambda row: rows[row][0])
        self.steps = [(time, list(step_rows)) for time, step_rows in numbered]
        self.step_of = [step for step, (_, here) in enumerate(self.steps) for _ in here]
        self.ordinal = [
            sum(earlier[1] == stream for earlier in rows[:row])
            for row, (_, stream, *_) in enumerate(rows)
        ]
        joining = [(x, y) for y in range(len(rows)) for x in range(y) if self.rows_join(x, y)]
        self.same_step_pairs = [(x, y) for x, y in joining if self.step_of[x] == self.step_of[y]]
        self.exact_pairs = [
            (x, y)
            for x, y in joining
            if self.step_of[x] < self.step_of[y] and self.in_window(x, self.step_of[y])
        ]

    def rows_join(self, x, y) -> bool:
        if self.rows[x][1] == self.rows[y][1]:
            return False
        left, right = (x, y) if self.rows[x][1] == 0 else (y, x)
        return keys_join(self.rows[left][2], self.rows[right][2], self.on, self.band)

    def importance(self, x, time) -> Fraction:
        """What a tuple is worth at a time."""
        return Fraction(self.worth(self.rows[x], time) if self.worth else self.rows[x][3])

    def pair_importance(self, x, y, combine) -> Fraction:
        """By what both are worth when the later one arrives."""
        time = self.rows[y][0]
        return COMBINATIONS[combine](self.importance(x, time), self.importance(y, time))

    def arrived(self, stream, steps) -> int:
        """Number of arrivals of a stream in the first so many steps."""
        return sum(self.rows[row][1] == stream for _, here in self.steps[:steps] for row in here)

    def in_window(self, x, step) -> bool:
        """Whether an earlier arrival can join the arrivals of this step."""
        if self.windows is None:
            return True
        time, stream = self.rows[x][:2]
        if self.window_kind == "time":
            return self.steps[step][0] - time <= self.windows[stream]
        return self.arrived(stream, step) - self.ordinal[x] <= self.windows[stream]

    def remaining(self, x, step) -> int:
        """How long x stays in its window after this step, in time units or in tuples."""
        time, stream = self.rows[x][:2]
        if self.window_kind == "time":
            return time + self.windows[stream] - self.steps[step][0]
        newest = self.arrived(stream, step + 1) - 1
        return self.ordinal[x] + self.windows[stream] - newest


class Replay:
    """The memory and its history under one policy."""

    def __init__(self, join, policy, params, mem, split, order, seed, pmf):
        self.join, self.policy, self.params, self.order, self.pmf = join, policy, params, order, pmf
        self.parts = [] if policy == "exact" else memory_parts(mem, split)
        self.words = split_mix(seed)
        self.cached = ([], [])  # rows per stream, in the order that rand draws from
        self.seen = (Counter(), Counter())  # keys of all arrivals so far, per stream
        self.matches = Counter()
        self.recomputations = None
        self.fates = {}
        self.pairs = []
        self.losses = {}  # exact pair not produced -> cause
        self.left_shares = []
        self.cached_after_step = []

    def step(self, step) -> None:
        _, arrivals = self.join.steps[step]
        self.expire(step)
        probed = self.in_memory()
        if self.order == "probe-first":
            self.probe(arrivals, arrivals, probed)
            self.admit(arrivals)
            self.leave_after_matches(step)
            self.keep(step)
            self.note_occupancy()
        else:
            self.admit(arrivals)
            self.keep(step)
            self.note_occupancy()
            kept = self.in_memory()
            self.probe(arrivals, [row for row in arrivals if row in kept], probed & kept)
            self.leave_after_matches(step)
        self.cached_after_step.append(self.in_memory())

    def in_memory(self) -> set:
        return {*self.cached[0], *self.cached[1]}

    def remove(self, row, how, step) -> None:
        array = self.cached[self.join.rows[row][1]]
        swap_remove(array, array.index(row))
        self.fates[row] = (how, self.join.steps[step][0])

    def expire(self, step) -> None:
        """Window first, then ttl; per stream and by row, since rand's arrays remember the order."""
        now = self.join.steps[step][0]
        for array in self.cached:
            for row in sorted(array):
                if not self.join.in_window(row, step):
                    self.remove(row, "expired", step)
        if self.policy == "ttl":
            for array, side in zip(self.cached, ("left", "right"), strict=True):
                ttl = self.params.get(side)
                for row in sorted(array):
                    if ttl is not None and now - self.join.rows[row][0] > ttl:
                        self.remove(row, "left", step)

    def probe(self, arrivals, probing, probed) -> None:
        """Join the probing arrivals with the probed rows; note why other exact pairs are lost."""
        for y in probing:
            for x in sorted(probed):
                if self.join.rows_join(x, y):
                    self.pairs.append((x, y))
                    self.matches.update((x, y))
        produced = set(self.pairs)
        for x, y in self.join.exact_pairs:
            if y in arrivals and (x, y) not in produced:
                self.losses[x, y] = self.cause_of_loss(x, x in probed)

    def cause_of_loss(self, x, was_probed) -> str:
        if was_probed:
            return "never_admitted"  # the later tuple was dropped before it could probe
        return {"dropped": "never_admitted", "evicted": "evicted", "left": "expired"}[
            self.fates[x][0]
        ]

    def admit(self, arrivals) -> None:
        for row in arrivals:
            _, stream, key, *_ = self.join.rows[row]
            self.cached[stream].append(row)
            self.seen[stream][key] += 1

    def leave_after_matches(self, step) -> None:
        if self.policy == "jtl":
            for row in sorted(self.in_memory()):
                if self.matches[row] >= self.params["n"]:
                    self.remove(row, "left", step)

    def keep(self, step) -> None:
        """Candidates leave one by one until each part fits; those of this step were never kept."""
        for size, streams in self.parts:
            while sum(len(self.cached[stream]) for stream in streams) > size:
                row = self.victim([self.cached[stream] for stream in streams], step)
                how = "dropped" if self.join.step_of[row] == step else "evicted"
                self.remove(row, how, step)

    def victim(self, arrays, step) -> int:
        candidates = [row for array in arrays for row in array]
        if self.policy == "rand":
            return candidates[draw(self.words, len(candidates))]
        return min(candidates, key=lambda row: (self.score(row, step), row))

    def score(self, row, step):
        """The lowest goes first, the smaller row among equals."""
        if self.policy in OLDEST_FIRST:
            return row
        if self.policy == "until-expiry":
            return -row
        if self.policy == "greedy":
            return self.join.importance(row, self.join.steps[step][0])
        if self.policy == "prob":
            return self.frequency(row) if self.pmf is None else self.probability(row)
        if self.policy == "life":
            return self.frequency(row) * self.join.remaining(row, step)
        raise ValueError(f"the oracle has no policy {self.policy}")

    def joins_key(self, row, other_key) -> bool:
        _, stream, key, *_ = self.join.rows[row]
        left, right = (key, other_key) if stream == 0 else (other_key, key)
        return keys_join(left, right, self.join.on, self.join.band)

    def frequency(self, row) -> Fraction:
        """Share of the other stream's arrivals so far that would join this row."""
        others = self.seen[1 - self.join.rows[row][1]]
        joining = sum(count for key, count in others.items() if self.joins_key(row, key))
        return Fraction(joining, others.total() or 1)

    def probability(self, row) -> float:
        """Known probability that an arrival of the other stream joins this row."""
        others = self.pmf[1 - self.join.rows[row][1]]
        return sum((others[key] for key in sorted(others) if self.joins_key(row, key)), 0.0)

    def note_occupancy(self) -> None:
        left, right = map(len, self.cached)
        if left + right:
            self.left_shares.append(Fraction(left, left + right))
