"""iJoin over the time after which a tuple is unproductive, 2 to 5 s (Figure 5): see `_ijoin`."""

from streamjoin_core.experiments import _ijoin as setting
from streamjoin_core.experiments.base import Experiment, Findings, Setup

_SECONDS = (2, 3, 4, 5)


def measure(seconds: int, seed: int, steps: int):
    policies = setting.all_policies(delta=seconds * setting.SECOND)
    return setting.compare(setting.arrivals(seed, steps), seconds, seed, policies)


def find(setup: Setup) -> Findings:
    panels = setting.panels(setup, measure, _SECONDS, "delta in seconds")
    importance, _, fairness = panels
    claims = [
        *setting.is_best(importance),
        *(
            setting.trend(
                f"{who} loses importance with a coarser delta", importance, who, rises=False
            )
            for who in (setting.PRINTED, setting.SHORT)
        ),
        *setting.is_fair(fairness),
    ]
    return setting.findings(panels, claims)


EXPERIMENT = Experiment(
    name="ijoin-threshold",
    summary="importance, results and fairness of iJoin over the time until a tuple is fined",
    paper=f"{setting.PAPER}, Fig. 5",
    find=find,
    runs=5,
    steps=setting.STEPS,
)
