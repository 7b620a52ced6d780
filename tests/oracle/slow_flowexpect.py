"""Slow FlowExpect: every predetermined sequence of decisions is tried, in plain Python.

Chances are whole multiples of 2^-40, as the policy defines them, so that sums are exact.
"""

from functools import cache
from itertools import combinations
from math import inf

from tests.oracle.join_measures import measures
from tests.oracle.rules import keys_join, window_pair
from tests.oracle.slow_heeb import SlowHeeb
from tests.oracle.slow_join import Arrivals

ONE = 2**40
LISTED = "stationary empirical offline"  # the later, the rather summed over


def slow_flowexpect(rows, *, models, lookahead, mem, **options) -> dict:
    """Replay rows as slow_replay does; models[0] is the entry of stream 0."""
    window, kind = window_pair(options.get("window")), options.get("window_kind", "time")
    join = Arrivals(rows, window, kind, options.get("on", "="), options.get("band"))
    split = options.get("split", "shared")
    run = SlowFlowExpect(join, "flowexpect", {}, mem, split, "probe-first", 0, None)
    run.models, run.lookahead = models, lookahead
    for step in range(len(join.steps)):
        run.step(step)
    return measures(join, run, "min", 0, False)


class SlowFlowExpect(SlowHeeb):
    def keep(self, step) -> None:
        for size, streams in self.parts:
            candidates = sorted(row for stream in streams for row in self.cached[stream])
            if len(candidates) > size:
                for row in self.leaving(candidates, size, streams, step):
                    how = "dropped" if self.join.step_of[row] == step else "evicted"
                    self.remove(row, how, step)

    def leaving(self, candidates, size, streams, step) -> tuple:
        """The first rows whose absence costs least."""
        known = [self.known(row, self.join.rows[row][1], 0, step) for row in candidates]
        coming = [self.coming(stream, step) for stream in streams]
        arrivals = [
            tuple(benefits for of in coming for at, benefits in of if at == ahead)
            for ahead in range(self.lookahead + 1)
        ]

        @cache
        def best(ahead, held):
            """The most that can be had from here on with these tuples held until `ahead`."""
            if ahead > self.lookahead:
                return 0
            candidates = (*held, *arrivals[ahead])
            kept = combinations(candidates, min(size, len(candidates)))
            now = sum(benefits[ahead - 1] for benefits in held)
            return now + max(best(ahead + 1, tuple(sorted(those))) for those in kept)

        def value(leaving):
            stay = [b for row, b in zip(candidates, known, strict=True) if row not in leaving]
            return best(1, tuple(sorted(stay)))

        return max(combinations(candidates, len(candidates) - size), key=value)

    def rest(self, row, step):
        return inf if self.join.windows is None else self.join.remaining(row, step)

    def known(self, row, stream, arrival, step) -> tuple:
        """Benefits at 1, 2, ... of a row that is there, or that will arrive for certain."""
        key = self.join.rows[row][2]
        rest = self.rest(row, step) if arrival == 0 else self.fresh_rest(stream)
        return tuple(
            round(self.joining(self.chances(1 - stream, step, ahead), 1 - stream, key))
            if arrival < ahead <= arrival + rest
            else 0
            for ahead in range(1, self.lookahead + 1)
        )

    def fresh_rest(self, stream):
        return inf if self.join.windows is None else self.join.windows[stream]

    def coming(self, stream, step) -> list:
        """Arrival and benefits of the stream's tuples to come."""
        now = self.join.steps[step][0]
        if self.models[stream]["kind"] == "offline":
            return [
                (time - now, self.known(row, stream, time - now, step))
                for row, (time, of, *_) in enumerate(self.join.rows)
                if of == stream and now < time < now + self.lookahead
            ]
        rest = self.fresh_rest(stream)
        return [
            (
                arrival,
                tuple(
                    self.meeting(stream, step, arrival, ahead)
                    if arrival < ahead <= arrival + rest
                    else 0
                    for ahead in range(1, self.lookahead + 1)
                ),
            )
            for arrival in range(1, self.lookahead)
        ]

    def meeting(self, stream, step, arrival, ahead) -> int:
        """The sum goes over the stream that is listed rather than tabled, as the policy's does."""
        kinds = [self.models[of]["kind"] for of in range(2)]
        outer, inner, at, then = stream, 1 - stream, arrival, ahead
        if LISTED.find(kinds[inner]) > LISTED.find(kinds[outer]):
            outer, inner, at, then = inner, outer, ahead, arrival
        its = self.chances(inner, step, then)
        total = 0
        for key, p in self.masses(outer, step, at).items():
            found = self.joining(its, inner, key)
            total += p * (found if kinds[0] == kinds[1] else round(found))
        return round(total)

    def chances(self, stream, step, ahead) -> dict:
        """In units; tables hold whole numbers of them, while sums of others are rounded once."""
        is_listed = self.models[stream]["kind"] in LISTED
        masses = self.masses(stream, step, ahead)
        return {key: p * ONE if is_listed else round(p * ONE) for key, p in masses.items()}

    def joining(self, chances, stream, key) -> float:
        """What the chances of a stream give to keys that join this one of the other.

        Those of tables are rounded one by one, so all of them together are set to certainty.
        """
        found = sum(
            chance
            for other, chance in chances.items()
            if keys_join(
                *((other, key) if stream == 0 else (key, other)), self.join.on, self.join.band
            )
        )
        if self.models[stream]["kind"] in LISTED or not chances:
            return found
        whole = sum(chances.values())
        if self.join.on == "!=":
            return 0 if found == 0 else ONE - (whole - found)
        return ONE if found == whole else found
