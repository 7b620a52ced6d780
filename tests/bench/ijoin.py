"""iJoin: tuples per second with priorities that all change at every eviction."""

from streamjoin_core.engine.joining import JoinTask
from streamjoin_core.policies.registry import find_policy
from tests.bench.joining import KEYS, join_with_window, seconds_of, zipf_join

TUPLES = 200_000
WINDOW = 50_000
REPEATS = 3
MEMORIES = (10, 1_000, 10_000)
GOAL = 1e5  # tuples per second with memory 10,000, recomputed at each eviction


def rows() -> list[dict]:
    """One row per scheme and memory, half of which is each stream's."""
    join = join_with_window(zipf_join(TUPLES, KEYS), WINDOW)
    policy = find_policy("ijoin")
    table = []
    for scheme in ("successive", "k-successive"):
        params = policy.parameters(recompute=scheme)
        for mem in MEMORIES:
            task = JoinTask(join, params, (mem // 2, mem // 2))
            # The first run compiles, and computes what all runs on a join share.
            best = min(seconds_of(policy.joining, task) for _ in range(REPEATS + 1))
            table.append(
                {
                    "name": f"joining: ijoin {scheme}, memory {mem:,}, window {WINDOW:,}",
                    "ours": TUPLES / best,
                    "unit": "tuples/s",
                    "goal": GOAL if (scheme, mem) == ("successive", 10_000) else None,
                }
            )
    return table
