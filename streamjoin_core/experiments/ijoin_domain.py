"""iJoin over the number of keys, 10 to 20, all equally important (Figure 4): see `_ijoin`."""

from streamjoin_core.experiments import _ijoin as setting
from streamjoin_core.experiments.base import Claim, Experiment, Findings, Setup
from streamjoin_core.experiments.claims import is_ahead

_DOMAINS = (10, 12, 14, 16, 18, 20)


def measure(domain: int, seed: int, steps: int):
    trace = setting.arrivals(
        seed, steps, domain=domain, importance_least=1, importance_most=1, redefinitions=0
    )
    return setting.compare(trace, domain, seed)


def find(setup: Setup) -> Findings:
    importance, results, fairness = panels = setting.panels(setup, measure, _DOMAINS, "keys")
    everybody = [curve.label for curve in importance.curves]
    others = [label for label in everybody if label != "greedy"]
    greedy = setting.means(fairness, "greedy")[-1]
    claims = [
        *setting.is_best(importance),
        *setting.is_fair(fairness),
        *(
            setting.trend(f"{who} has fewer results with more keys", results, who, rises=False)
            for who in everybody
        ),
        *(
            is_ahead(f"greedy is behind {who}", importance, who, ["greedy"], ties=who == "fifo")
            for who in others
        ),
        Claim("greedy is only 20 % fair with 20 keys", 0.15 <= greedy <= 0.25, f"{greedy:.1%}"),
    ]
    return setting.findings(panels, claims)


EXPERIMENT = Experiment(
    name="ijoin-domain",
    summary="importance, results and fairness of iJoin and others over the number of keys",
    paper=f"{setting.PAPER}, Fig. 4",
    find=find,
    runs=5,
    steps=setting.STEPS,
)
