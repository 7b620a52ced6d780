"""What the experiments on synthetic streams share: results as the paper counts them.

After J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005, section 8:
results after a warm-up of four times the memory. The bound of the noise is a hint to rand, prob and
life, whose window it is; the other policies have none.
"""

from streamjoin_core.experiments.measure import Measured
from streamjoin_core.opt_offline import opt_offline
from streamjoin_core.replay import replay
from streamjoin_core.trace.trace import Trace

HINTED = ("rand", "prob", "life")
MEMORIES = (1, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30, 35, 40, 45, 50)
STEPS = 5000
PAPER_RUNS = 50
_HINT = "10:15"
HINT_IS_A_WINDOW = (
    f"RAND, PROB and LIFE are replayed with the hint {_HINT} as their window, so they lose every "
    "result of an older tuple, whatever the memory."
)
ALPHA_IGNORES_THE_MEMORY = (
    "On a trend HEEB's alpha follows the noise alone: it expects tuples to stay 3 steps on TOWER, "
    "8.3 on ROOF and 12.5 on FLOOR. With two arrivals a step they stay half as many steps as the "
    "memory has places. FlowExpect's plans hand slots on to arrivals to come, so with less memory "
    "than that it is mostly ahead; a smaller alpha brings HEEB nearer."
)


def warmup_of(memories: tuple[int, ...]) -> int:
    """Steps whose results do not count."""
    return 4 * max(memories)


def results(
    trace: Trace,
    policies: tuple[str, ...],
    memories: tuple[int, ...] = MEMORIES,
    *,
    seed: int,
    has_bounds: bool = True,
) -> Measured:
    """Results of each policy by memory; without bounds of the noise there is no hint."""
    warmup = warmup_of(memories)
    found = {}
    for policy in policies:
        if policy == "opt":
            report = opt_offline(trace, mem=memories, warmup=warmup)
        else:
            hint = _HINT if policy in HINTED and has_bounds else None
            report = replay(
                trace, policy=policy, mem=memories, window=hint, warmup=warmup, seed=seed
            )
        found[policy] = {run.mem: run.results for run in report.runs}
    return found
