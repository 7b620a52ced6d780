"""Slow iJoin: every priority from the whole history of matches, as a fraction where none fades."""

from fractions import Fraction
from math import exp

from tests.oracle.slow_join import Replay

DEFAULTS = {
    "tau": 2,
    "delta": 3,
    "c": 1,
    "decay": 0,
    "initial": None,
    "recompute": "successive",
    "k": 10,
    "epsilon": 0.1,
    "bucket": 10,
}


class SlowIJoin(Replay):
    """Arrivals find their places in row order; each part of the memory knows its own evictions."""

    def __init__(self, *args):
        super().__init__(*args)
        self.settings = DEFAULTS | self.params
        self.history = {}  # row -> times of its matches
        self.priorities = {}  # row -> as last computed
        self.evictions_since = [None for _ in self.parts]  # the last recomputation; None: due
        self.recomputations = 0
        self.gains = []  # importance of every result so far
        self.now = None

    def probe(self, arrivals, probing, probed):
        before = len(self.pairs)
        super().probe(arrivals, probing, probed)
        now = self.join.rows[arrivals[0]][0]
        for x, y in self.pairs[before:]:
            self.history.setdefault(x, []).append(now)
            self.history.setdefault(y, []).append(now)
            self.gains.append(self.join.pair_importance(x, y, self.combine))
            self.compare_buckets()

    def compare_buckets(self):
        size = self.settings["bucket"]
        if self.settings["recompute"] != "adaptive" or len(self.gains) % size:
            return
        buckets = [sum(self.gains[at : at + size]) for at in range(0, len(self.gains), size)]
        if len(buckets) > 1:
            before, last = buckets[-2:]
            if before - last > Fraction(self.settings["epsilon"]) * before:
                self.evictions_since = [None for _ in self.parts]

    def admit(self, arrivals):
        for row in arrivals:
            self.seen[self.join.rows[row][1]][self.join.rows[row][2]] += 1
        self.arrivals = arrivals

    def keep(self, step):
        self.now = self.join.steps[step][0]
        for row in self.arrivals:
            stream = self.join.rows[row][1]
            part = next(part for part, (_, here) in enumerate(self.parts) if stream in here)
            size, streams = self.parts[part]
            cached = [x for one in streams for x in self.cached[one]]
            if len(cached) == size:
                mature = [x for x in cached if self.age(x) > self.settings["tau"]]
                if not mature:
                    self.fates[row] = ("dropped", self.now)
                    continue
                self.recompute_if_due(part, mature)
                victim = min(mature, key=lambda x: (self.priorities[x], x))
                self.remove(victim, "evicted", step)
            self.cached[stream].append(row)
            self.priorities[row] = self.initial(row)

    def initial(self, row):
        given = self.settings["initial"]
        return self.join.importance(row, self.now) if given is None else Fraction(given)

    def recompute_if_due(self, part, mature):
        since, how = self.evictions_since[part], self.settings["recompute"]
        every = {"successive": 1, "k-successive": self.settings["k"], "adaptive": None}[how]
        if since is None or since == every:
            self.recomputations += 1
            since = 0
            for row in mature:
                self.priorities[row] = self.priority(row)
        self.evictions_since[part] = since + 1

    def age(self, row):
        return self.now - self.join.rows[row][0]

    def priority(self, row):
        """Fading ones are floats, compared to twelve digits."""
        decay = self.settings["decay"]
        history = self.history.get(row, [])
        if decay == 0:
            matches = len(history)
        else:
            matches = sum(exp(-decay * (self.now - time)) for time in history)
        result = self.join.importance(row, self.now) * matches / self.age(row)
        idle = self.now - max(history, default=self.join.rows[row][0])
        if idle >= self.settings["delta"]:
            result -= Fraction(self.settings["c"]) * idle
        return result if decay == 0 else float(f"{float(result):.12e}")
