"""Slow AGE: curves counted pair by pair, and the defining maximum over all later ages."""

from fractions import Fraction

from tests.oracle.join_measures import measures
from tests.oracle.rules import window_pair
from tests.oracle.slow_join import Arrivals, Replay


def slow_join(rows, **options) -> Arrivals:
    """The join that a replay with these options is about; without a window ages are times."""
    window = window_pair(options.get("window"))
    kind = "time" if window is None else options.get("window_kind", "time")
    return Arrivals(rows, window, kind, options.get("on", "="), options.get("band"))


def slow_age(rows, *, mem, curves=None, **options) -> dict:
    """Replay rows as slow_replay does; curves are lists of p(1), p(2), ..., or else learnt."""
    join = slow_join(rows, **options)
    split, order = options.get("split", "shared"), options.get("order", "probe-first")
    run = SlowAge(join, "age", {}, mem, split, order, 0, None)
    run.scores = {}
    run.curves = curves or [slow_curve(join, stream) for stream in range(2)]
    for step in range(len(join.steps)):
        run.step(step)
    combine, warmup = options.get("combine", "min"), options.get("warmup", 0)
    return measures(join, run, combine, warmup, options.get("count_same_step", False))


def slow_window(join, stream) -> int:
    if join.windows is not None:
        return join.windows[stream]
    return join.rows[-1][0] - join.rows[0][0] if join.rows else 0


def slow_age_at(join, x, step) -> int:
    """The age of a row when the arrivals of a step probe."""
    time, stream = join.rows[x][:2]
    if join.window_kind == "time":
        return join.steps[step][0] - time
    return join.arrived(stream, step) - join.ordinal[x]


def slow_curve(join, stream) -> list:
    """Results at age 1, 2, ... over the number of the stream's tuples."""
    tuples = sum(row[1] == stream for row in join.rows)
    counts = [0] * slow_window(join, stream)
    for x, y in join.exact_pairs:
        if join.rows[x][1] == stream:
            counts[slow_age_at(join, x, join.step_of[y]) - 1] += 1
    return [Fraction(count, max(1, tuples)) for count in counts]


def slow_best_age(curve):
    """The k at which C(k) / k is largest, the first of equals."""
    if not any(curve):
        return None
    return max(range(1, len(curve) + 1), key=lambda k: (Fraction(sum(curve[:k])) / k, -k))


class SlowAge(Replay):
    def score(self, row, step):
        join, stream = self.join, self.join.rows[row][1]
        curve = self.curves[stream]
        if join.window_kind == "time":
            age = join.steps[step][0] - join.rows[row][0]
        else:
            age = join.arrived(stream, step + 1) - 1 - join.ordinal[row]
        if (stream, age) not in self.scores:
            later = range(age + 1, slow_window(join, stream) + 1)
            rates = (Fraction(sum(curve[age:j])) / (j - age) for j in later)
            self.scores[stream, age] = max(rates, default=0)
        return self.scores[stream, age]


def slow_split(join, curves, mem) -> list:
    """All (left, right) with the largest recall by the paper's equation 3, to ten digits."""
    duration = join.rows[-1][0] - join.rows[0][0] + 1
    tuples = [sum(row[1] == stream for row in join.rows) for stream in range(2)]

    def results(stream, memory):
        curve, best = curves[stream], slow_best_age(curves[stream])
        if best is None:
            return 0
        rate = Fraction(tuples[stream], duration) if join.window_kind == "time" else 1
        age = Fraction(memory) / rate
        if age <= best:
            return tuples[stream] * age * sum(curve[:best]) / best
        whole = min(int(age), len(curve))
        part = (age - whole) * curve[whole] if whole < len(curve) else 0
        return tuples[stream] * (sum(curve[:whole]) + part)

    gains = {left: results(0, left) + results(1, mem - left) for left in range(mem + 1)}
    most = max(gains.values())
    return [(left, mem - left) for left in gains if gains[left] >= most * (1 - Fraction(1, 10**10))]
