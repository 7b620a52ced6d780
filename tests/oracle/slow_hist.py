"""Slow HIST: histograms as lists of buckets, rebuilt whenever they change, in plain Python."""

from dataclasses import dataclass
from math import inf, sqrt

from tests.oracle.join_measures import measures
from tests.oracle.rules import window_pair
from tests.oracle.slow_join import Arrivals, Replay

FORMS = ("trend", "walk")


def slow_hist(rows, *, period, buckets=10, decay=0.99, form="auto", mem, **options) -> dict:
    """Replay rows as slow_replay does."""
    window, kind = window_pair(options.get("window")), options.get("window_kind", "time")
    join = Arrivals(rows, window, kind, options.get("on", "="), options.get("band"))
    split, order = options.get("split", "shared"), options.get("order", "probe-first")
    run = SlowHist(join, "hist", {}, mem, split, order, 0, None)
    run.learns(period, buckets, decay, form)
    for step in range(len(join.steps)):
        run.step(step)
    return measures(join, run, "min", options.get("warmup", 0), False)


@dataclass
class Bucket:
    low: float
    high: float
    n: float = 0.0
    m: float = 0.0
    q: float = 0.0

    def middle(self) -> float:
        return (self.low + self.high) / 2

    def halves(self) -> list:
        middle, n, q = self.middle(), self.n / 2, self.q / 2
        return [Bucket(self.low, middle, n, self.m, q), Bucket(middle, self.high, n, self.m, q)]

    def joined_by(self, other) -> "Bucket":
        d = other.m - self.m
        part = other.n / (self.n + other.n)
        q = self.q + other.q + d * d * self.n * part
        return Bucket(self.low, other.high, self.n + other.n, self.m + d * part, q)


class Histogram:
    def __init__(self, most):
        self.most, self.buckets = most, []

    def at(self, d) -> int:
        """The last bucket that begins at d or before, or the first one."""
        return max([i for i, one in enumerate(self.buckets) if one.low <= d], default=0)

    def add(self, d, y):
        if not self.buckets:
            self.buckets = [Bucket(d, d)]
        self.buckets[0].low = min(self.buckets[0].low, d)
        self.buckets[-1].high = max(self.buckets[-1].high, d)
        one = self.buckets[self.at(d)]
        one.n += 1
        apart = y - one.m
        one.m += apart / one.n
        one.q += apart * (y - one.m)

    def value(self, d) -> float:
        here = self.at(d)
        one = self.buckets[here]
        there = here - 1 if d < one.middle() else here + 1
        if there not in range(len(self.buckets)):
            return one.m
        other = self.buckets[there]
        return one.m + (other.m - one.m) * ((d - one.middle()) / (other.middle() - one.middle()))

    def review(self, decay):
        for one in self.buckets:
            one.n, one.q = max(one.n * decay, 1e-9), one.q * decay
        splittable = [one for one in self.buckets if one.low < one.middle() < one.high and one.q]
        if not splittable:
            return
        chosen = max(splittable, key=lambda one: one.q)
        if len(self.buckets) == self.most:
            pairs = [
                (one, other)
                for one, other in zip(self.buckets, self.buckets[1:], strict=False)
                if chosen is not one and chosen is not other
            ]
            if not pairs:
                return
            one, other = min(pairs, key=lambda pair: pair[0].joined_by(pair[1]).q)
            if one.joined_by(other).q >= 0.5 * chosen.q:
                return
            place = next(i for i, each in enumerate(self.buckets) if each is one)
            self.buckets[place : place + 2] = [one.joined_by(other)]
        place = next(i for i, each in enumerate(self.buckets) if each is chosen)
        self.buckets[place : place + 1] = chosen.halves()


class Process:
    """Where a stream is, and which form told that better."""

    def __init__(self):
        self.w = self.s = self.ss = self.x = self.p = 0.0
        self.last = self.time = None
        self.errors = dict.fromkeys(FORMS, 0.0)

    def line(self, now) -> tuple:
        spread = self.w * self.ss - self.s * self.s
        if not spread > 1e-9 * self.w * self.ss:
            return self.x / self.w, 0.0
        slope = (self.w * self.p - self.s * self.x) / spread
        start = (self.ss * self.x - self.s * self.p) / spread
        return start + slope * (now - self.time), slope

    def arrive(self, now, value):
        if self.last is not None:
            height, slope = self.line(now)
            on = now - self.time
            for form, guess in (("trend", height), ("walk", self.last + slope * on)):
                self.errors[form] = 0.99 * self.errors[form] + (value - guess) * (value - guess)
            self.ss = 0.99 * (self.ss - on * (2 * self.s - on * self.w))
            self.s = 0.99 * (self.s - on * self.w)
            self.p = 0.99 * (self.p - on * self.x)
            self.w, self.x = 0.99 * self.w, 0.99 * self.x
        self.w, self.x = self.w + 1, self.x + value
        self.last, self.time = value, now

    def where(self, form, now) -> float:
        return self.last if form == "walk" else self.line(now)[0]

    def better_form(self) -> str:
        return min(FORMS, key=lambda form: self.errors[form])


class SlowHist(Replay):
    def learns(self, period, buckets, decay, form):
        self.period, self.decay, self.form = period, decay, form
        self.processes = (Process(), Process())
        self.told = {
            (stream, of, what): Histogram(buckets)
            for stream in (0, 1)
            for of in FORMS
            for what in ("results", "stays")
        }
        self.entry = {}  # row -> offsets by form, and arrivals that would have joined it before
        self.now, self.observed = None, 0

    def value(self, row) -> float:
        return float(self.join.rows[row][2]) - float(self.join.rows[0][2])

    def offset(self, row, form):
        process = self.processes[1 - self.join.rows[row][1]]
        return None if process.last is None else self.value(row) - process.where(form, self.now)

    def would_join(self, row) -> int:
        others = self.seen[1 - self.join.rows[row][1]]
        return sum(count for key, count in others.items() if self.joins_key(row, key))

    def admit(self, arrivals):
        super().admit(arrivals)
        for row in arrivals:
            self.now, stream = self.join.rows[row][:2]
            self.processes[stream].arrive(self.now, self.value(row))
        for row in arrivals:
            offsets = {form: self.offset(row, form) for form in FORMS}
            self.entry[row] = (offsets, self.would_join(row))

    def remove(self, row, how, step):
        super().remove(row, how, step)
        offsets, before = self.entry[row]
        time, stream = self.join.rows[row][:2]
        if self.now > time and None not in offsets.values():
            for form, d in offsets.items():
                self.told[stream, form, "results"].add(d, float(self.would_join(row) - before))
                self.told[stream, form, "stays"].add(d, 1 / (self.now - time))
            self.observed += 1
            if self.observed % self.period == 0:
                for histogram in self.told.values():
                    histogram.review(self.decay)

    def score(self, row, step):
        stream = self.join.rows[row][1]
        form = self.processes[1 - stream].better_form() if self.form == "auto" else self.form
        results, stays = (self.told[stream, form, what] for what in ("results", "stays"))
        if not results.buckets:
            return inf
        d = self.offset(row, form)
        if d is None or not results.buckets[0].low <= d <= results.buckets[-1].high:
            return 0.0
        one = results.buckets[results.at(d)]
        hope = 2 * (sqrt(1 + one.q) / one.n)
        return (results.value(d) + hope) * stays.value(d)
