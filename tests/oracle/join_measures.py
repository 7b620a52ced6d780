"""Measures of a slow replay: what its history and the exact join amount to."""

from tests.oracle.rules import jain, share


def measures(join, run, combine, warmup, count_same_step) -> dict:
    """Every measure of one run, whole and per group."""

    def counted(pairs):
        return [pair for pair in pairs if join.step_of[pair[1]] >= warmup]

    exact, results = counted(join.exact_pairs), counted(run.pairs)
    same_step = counted(join.same_step_pairs)
    if not set(results) <= set(exact) or len(set(results)) < len(results):
        raise AssertionError("the slow join produced a pair twice or outside the exact join")
    causes = [cause for pair, cause in run.losses.items() if join.step_of[pair[1]] >= warmup]
    if count_same_step:
        exact, results = exact + same_step, results + same_step
    lifetimes = {row: left - join.rows[row][0] for row, (_, left) in run.fates.items()}
    ways = [how for how, _ in run.fates.values()]
    return {
        **recalls(join, exact, results, combine),
        "same_step_results": len(same_step),
        "fairness": jain(lifetimes.values()),
        "occupancy_left": share(sum(run.left_shares), len(run.left_shares)),
        "evicted": ways.count("evicted"),
        "dropped": ways.count("dropped"),
        "expired": ways.count("expired") + ways.count("left"),
        "mean_lifetime": share(sum(lifetimes.values()), len(lifetimes)),
        "losses": {
            cause: causes.count(cause) for cause in ("never_admitted", "evicted", "expired")
        },
        "groups": groups(join, exact, results, lifetimes, combine),
    }


def recalls(join, exact, results, combine) -> dict:
    def total(pairs):
        return sum(join.pair_importance(x, y, combine) for x, y in pairs)

    return {
        "exact": len(exact),
        "results": len(results),
        "recall": share(len(results), len(exact)),
        "exact_importance": float(total(exact)),
        "importance": float(total(results)),
        "importance_recall": share(total(results), total(exact)),
    }


def groups(join, exact, results, lifetimes, combine):
    """Per group: pairs go by their later tuple, lifetimes by their own; None without groups."""
    group_of = [row[4] for row in join.rows]
    if all(group is None for group in group_of):
        return None

    def own(pairs, group):
        return [pair for pair in pairs if group_of[pair[1]] == group]

    return {
        group: {
            **recalls(join, own(exact, group), own(results, group), combine),
            "fairness": jain([life for row, life in lifetimes.items() if group_of[row] == group]),
        }
        for group in sorted(set(group_of))
    }
