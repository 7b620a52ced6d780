"""Slow HEEB: the defining sum, probabilities by enumeration, in plain Python.

Scores are compared to eleven digits: equal ones differ here by the order of their additions.
"""

from functools import cache
from math import erfc, exp, floor, inf, sqrt

from tests.oracle.join_measures import measures
from tests.oracle.rules import window_pair
from tests.oracle.slow_join import Arrivals, Replay

NEAR = range(-70, 71)  # integers that enumeration goes over


def slow_heeb(rows, *, models, alpha, horizon=inf, mem, **options) -> dict:
    """Replay rows as slow_replay does; models[0] is the entry of stream 0."""
    window, kind = window_pair(options.get("window")), options.get("window_kind", "time")
    join = Arrivals(rows, window, kind, options.get("on", "="), options.get("band"))
    split, order = options.get("split", "shared"), options.get("order", "probe-first")
    run = SlowHeeb(join, "heeb", {}, mem, split, order, 0, None)
    run.models, run.alpha, run.horizon = models, alpha, horizon
    for step in range(len(join.steps)):
        run.step(step)
    return measures(join, run, "min", 0, False)


class SlowHeeb(Replay):
    def score(self, row, step):
        stream = self.join.rows[row][1]
        rest = self.horizon
        if self.join.windows is not None:
            rest = min(rest, self.join.remaining(row, step))
        last_wait = min(rest, 45 * (self.alpha or 0) + 60)
        total, wait = 0.0, 1
        while wait <= last_wait:
            life = 1.0 if self.alpha is None else exp(-wait / self.alpha)
            total += life * self.chance_of_joining(row, stream, step, wait)
            wait += 1
        return float(f"{total:.11e}")

    def chance_of_joining(self, row, stream, step, wait) -> float:
        mass = self.masses(1 - stream, step, wait)
        return sum(p for value, p in mass.items() if self.joins_key(row, value))

    def masses(self, stream, step, wait) -> dict:
        """Pr{X = v} of a stream's arrival after so many units of time."""
        model = self.models[stream]
        now = self.join.steps[step][0]
        past = [(time, key) for time, of, key, *_ in self.join.rows if of == stream and time <= now]
        if model["kind"] == "trend":
            line = floor(model["slope"] * (now + wait) + model["intercept"] + 0.5)
            return {line + y: p for y, p in noise_masses(**model["noise"]).items()}
        if model["kind"] == "stationary":
            return {int(key): p for key, p in model["pmf"].items()}
        if model["kind"] == "empirical":
            keys = [key for _, key in past]
            return {key: keys.count(key) / len(keys) for key in set(keys)}
        if model["kind"] == "offline":
            coming = [
                key for time, of, key, *_ in self.join.rows if of == stream and time == now + wait
            ]
            return {key: coming.count(key) for key in set(coming)}
        if not past:
            return {}
        time, value = past[-1]
        if model["kind"] == "walk":
            steps = walk_masses(model["drift"], model["sigma"], now - time + wait)
            return {value + move: p for move, p in steps.items()}
        return chain_masses(model["phi0"], model["phi1"], model["sigma"], value, now - time + wait)


@cache
def noise_masses(kind, bound=None, sigma=None) -> dict:
    if kind == "uniform":
        return {y: 1 / (2 * bound + 1) for y in range(-bound, bound + 1)}
    mass = {y: rounded_mass(y, sigma) for y in NEAR if bound is None or abs(y) <= bound}
    return {y: p / sum(mass.values()) for y, p in mass.items()}


def rounded_mass(distance, sigma) -> float:
    """Normal mass of [distance - 1/2, distance + 1/2], from the thin end."""
    far = abs(distance)
    return (erfc((far - 0.5) / sigma / sqrt(2)) - erfc((far + 0.5) / sigma / sqrt(2))) / 2


@cache
def walk_masses(drift, sigma, steps) -> dict:
    if steps == 0:
        return {0: 1.0}
    step = {move: rounded_mass(move - drift, sigma) for move in range(-12, 13)}
    mass = dict.fromkeys(NEAR, 0.0)
    for value, p in walk_masses(drift, sigma, steps - 1).items():
        for move, q in step.items():
            if value + move in mass:
                mass[value + move] += p * q
    return mass


@cache
def chain_masses(phi0, phi1, sigma, start, steps) -> dict:
    if steps == 0:
        return {start: 1.0}
    mass = dict.fromkeys(range(-14, 15), 0.0)
    for value, p in chain_masses(phi0, phi1, sigma, start, steps - 1).items():
        for other in mass:
            mass[other] += p * rounded_mass(other - phi0 - phi1 * value, sigma)
    return mass
