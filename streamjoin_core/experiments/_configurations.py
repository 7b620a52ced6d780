"""TOWER, ROOF, FLOOR and WALK, and whom figures 8 to 12 compare on them.

On WALK nothing is bounded, so there is no window, and life, which needs one, is left out.
"""

from streamjoin_core.experiments._synthetic import HINTED, MEMORIES, results
from streamjoin_core.experiments.base import Claim, Panel
from streamjoin_core.experiments.claims import is_ahead
from streamjoin_core.experiments.measure import Measured
from streamjoin_core.trace.scenarios import generate

CONFIGURATIONS = ("tower", "roof", "floor", "walk")
ONLINE = ("heeb", "flowexpect", "fifo", *HINTED)


def measure(
    scenario: str,
    seed: int,
    steps: int,
    memories: tuple[int, ...] = MEMORIES,
    others: tuple[str, ...] = (),
) -> Measured:
    """Results of the optimum, all that the paper compares, and others, by memory."""
    trace = generate(scenario, steps=steps, seed=seed)
    has_bounds = scenario != "walk"
    policies = ("opt", *ONLINE, *others)
    possible = tuple(one for one in policies if has_bounds or one != "life")
    return results(trace, possible, memories, seed=seed, has_bounds=has_bounds)


def claims_of_order(panel: Panel, ties: bool) -> tuple[Claim, ...]:
    """Who is ahead of whom; where all reach the optimum, ties are allowed."""
    does = "is not behind" if ties else "beats"
    return (
        is_ahead("nobody beats the offline optimum", panel, "opt", ONLINE, ties=True),
        is_ahead(f"HEEB {does} RAND, PROB and LIFE", panel, "heeb", HINTED, ties=ties),
        is_ahead(
            f"HEEB {does} FlowExpect in most cases",
            panel,
            "heeb",
            ["flowexpect"],
            ties=ties,
            mostly=True,
        ),
    )
