"""How tuples stayed, by definition: from the pairs that were produced and everybody's fate."""

from fractions import Fraction
from math import ceil

PERCENTS = {"p10": 10, "p25": 25, "median": 50, "p75": 75, "p90": 90, "p99": 99}


def slow_stays(join, run) -> dict:
    """`join` and `run` as the slow join has them."""
    lifetimes = sorted(left - join.rows[row][0] for row, (_, left) in run.fates.items())
    idle = sum(idle_time(join, run, row) for row in run.fates)
    premature = sum(is_premature(join, run, row) for row in run.fates)
    number, total = len(lifetimes), sum(lifetimes)
    quantiles = None
    if number:
        quantiles = {"least": lifetimes[0], "most": lifetimes[-1]} | {
            name: lifetimes[ceil(Fraction(percent, 100) * number) - 1]
            for name, percent in PERCENTS.items()
        }
    return {
        "left": number,
        "lifetimes": quantiles,
        "premature": premature,
        "premature_share": premature / number if number else None,
        "unproductive_time": idle,
        "unproductive_share": idle / total if total else None,
    }


def result_times(join, run, row):
    return [join.rows[y][0] for x, y in run.pairs if row in (x, y)]


def idle_time(join, run, row):
    """From the last result, or from arrival, to leaving."""
    return run.fates[row][1] - max(result_times(join, run, row), default=join.rows[row][0])


def is_premature(join, run, row) -> bool:
    """Left without a result, though a partner came in its window that it was not there to meet."""
    how, left = run.fates[row]
    if result_times(join, run, row):
        return False
    # Who is evicted after the probe, or dropped, is there for its last step's arrivals.
    is_there_at_last = how == "dropped" or (how == "evicted" and run.order == "probe-first")
    return any(
        join.rows[y][0] > left or (join.rows[y][0] == left and not is_there_at_last)
        for x, y in join.exact_pairs
        if x == row
    )
