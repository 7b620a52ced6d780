"""iJoin over the memory, from 5 to 20 tuples (Figure 2): see `_ijoin`."""

from streamjoin_core.experiments import _ijoin as setting
from streamjoin_core.experiments.base import Experiment, Findings, Setup
from streamjoin_core.experiments.claims import is_ahead

_MEMORIES = (5, 10, 15, 20)


def measure(mem: int, seed: int, steps: int):
    return setting.compare(setting.arrivals(seed, steps), mem, seed, mem=mem)


def find(setup: Setup) -> Findings:
    importance, results, fairness = panels = setting.panels(setup, measure, _MEMORIES, "memory")
    others = ("rand", "size", "greedy", setting.PRINTED, setting.SHORT)
    claims = [
        *setting.is_best(importance),
        *setting.is_best(results, "the most results of all"),
        setting.is_within(fairness, setting.PRINTED, 0.80, 1),
        setting.is_within(fairness, setting.SHORT, 0.80, 1),
        setting.is_within(fairness, "fifo", 0.98, 1),
        *(
            is_ahead(f"{who} has more importance than fifo", importance, who, ["fifo"])
            for who in others
        ),
    ]
    return setting.findings(panels, claims)


EXPERIMENT = Experiment(
    name="ijoin-memory",
    summary="importance, results and fairness of iJoin and others over the memory",
    paper=f"{setting.PAPER}, Fig. 2",
    find=find,
    runs=5,
    steps=setting.STEPS,
)
