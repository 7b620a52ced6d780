"""The slow join under a budget: a purse that pays for meetings and for entering, in fractions.

Written from the specification alone; what a step is, who is in its window and how memory's policies
score is the slow join's.
"""

import math
from collections import Counter
from fractions import Fraction

from tests.oracle.rules import split_mix, window_pair
from tests.oracle.slow_join import Arrivals, Replay

CAUSES = {
    "shed": "entry_shed",
    "unpaid": "entry_unpaid",
    "dropped": "memory_dropped",
    "evicted": "memory_evicted",
}


def slow_shed(
    rows,
    *,
    probes,
    enters,
    costs,
    rate,
    burst,
    policy="fifo",
    mem=10**6,
    split="shared",
    window,
    window_kind="time",
    warmup=0,
    sample=None,
) -> dict:
    """Replay rows of (time, stream, key, ...); `probes` and `enters` are one truth per row.

    `sample` is None or (chance, expected meetings by stream and key, whether only results are paid,
    seed). Returns results and their importance, losses by cause, what each row spent, and its fate.
    """
    join = Arrivals(rows, window_pair(window), window_kind, "=", None)
    run = Shedding(join, policy, {}, mem, split, "probe-first", 0, None)
    run.limit(probes, enters, costs, rate, burst, sample)
    for step in range(len(join.steps)):
        run.step(step)
    counted = [pair for pair in join.exact_pairs if join.step_of[pair[1]] >= warmup]
    produced = set(run.pairs)
    importance = sum(min(rows[x][3], rows[y][3]) for x, y in counted if (x, y) in produced)
    return {
        "results": sum(pair in produced for pair in counted),
        "importance": importance,
        "losses": dict(Counter(run.losses[pair] for pair in counted if pair not in produced)),
        "spent": [float(cost) for cost in run.spent],
        "fates": [run.fates.get(row, ("cached", None))[0] for row in range(len(rows))],
    }


class Shedding(Replay):
    def limit(self, probes, enters, costs, rate, burst, sample):
        self.probes, self.enters = probes, enters
        self.update, self.production = map(Fraction, costs)
        self.rate, self.burst, self.sample = Fraction(rate), Fraction(burst), sample
        self.purse = self.burst
        self.spent = [Fraction(0)] * len(self.join.rows)
        self.draws = split_mix(sample[3]) if sample else None
        self.now = 0
        self.successes = {}  # row -> (next, last) of those that are in memory
        self.meetings = Counter()

    def step(self, step) -> None:
        if step:
            waited = self.join.steps[step][0] - self.join.steps[step - 1][0]
            self.purse = min(self.burst, self.purse + self.rate * waited)
        self.now = step
        super().step(step)

    def pay(self, row, cost) -> None:
        self.purse -= cost
        self.spent[row] += cost

    def probe(self, arrivals, probing, probed) -> None:
        for y in probing:
            partners = [x for x in sorted(probed) if self.join.rows_join(x, y)]
            if not self.probes[y]:
                self.losses |= {(x, y): "probe_shed" for x in partners}
            elif self.sample:
                self.draw_results(y, partners)
            else:
                for x in partners:
                    if self.production <= self.purse:
                        self.pay(y, self.production)
                        self.pairs.append((x, y))
                    else:
                        self.losses[x, y] = "probe_unpaid"
            for x, later in self.join.exact_pairs:
                if later == y and x not in probed:
                    self.losses[x, y] = CAUSES[self.fates[x][0]]

    def draw_results(self, y, partners) -> None:
        chance, _, per_result, _ = self.sample
        for place, x in enumerate(partners):
            following, last = self.successes[x]
            is_result = self.meetings[x] + 1 == following
            if (is_result or not per_result) and self.production > self.purse:
                self.losses |= {(other, y): "probe_unpaid" for other in partners[place:]}
                return
            if is_result or not per_result:
                self.pay(y, self.production)
            self.meetings[x] += 1
            if not is_result:
                self.losses[x, y] = "probe_shed"
                continue
            self.pairs.append((x, y))
            following += self.gap(chance)
            self.successes[x] = (following if following <= last else None, last)

    def gap(self, chance) -> int:
        uniform = ((next(self.draws) >> 11) + 1) / 2**53
        return 1 if chance == 1 else 1 + math.floor(math.log(uniform) / math.log1p(-chance))

    def admit(self, arrivals) -> None:
        for row in arrivals:
            _, stream, key, *_ = self.join.rows[row]
            self.seen[stream][key] += 1
        for row in [row for row, (following, _) in self.successes.items() if following is None]:
            del self.successes[row]
            self.remove(row, "shed", self.now)
        for row in arrivals:
            self.let_in(row)

    def let_in(self, row) -> None:
        _, stream, key, *_ = self.join.rows[row]
        if not self.enters[row] or (self.sample and not self.draws_any(row, stream, key)):
            self.fates[row] = ("shed", None)
        elif self.update > self.purse:
            self.fates[row] = ("unpaid", None)
        else:
            self.cached[stream].append(row)
            self.keep(self.now)
            if row not in self.fates or self.fates[row][0] != "dropped":
                self.pay(row, self.update)
        for gone in [row for row in self.successes if row in self.fates]:
            del self.successes[gone]

    def draws_any(self, row, stream, key) -> bool:
        chance, expected, _, _ = self.sample
        meetings = expected[stream][key]
        last = math.floor(meetings)
        last += (next(self.draws) >> 11) / 2**53 < meetings - last
        first = self.gap(chance)
        self.successes[row] = (first, last)
        if first > last:
            del self.successes[row]
        return first <= last
