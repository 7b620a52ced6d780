"""iJoin over the window, from 10 to 25 seconds (Figure 3): see `_ijoin`."""

from streamjoin_core.experiments import _ijoin as setting
from streamjoin_core.experiments.base import Claim, Experiment, Findings, Panel, Setup

_SECONDS = (10, 15, 20, 25)


def measure(seconds: int, seed: int, steps: int):
    trace = setting.arrivals(seed, steps)
    return setting.compare(trace, seconds, seed, window=seconds * setting.SECOND)


def _hardly_changes(panel: Panel) -> Claim:
    """By less than a twentieth."""
    shares = {
        curve.label: curve.mean(_SECONDS[-1]) / max(1, curve.mean(_SECONDS[0]))
        for curve in panel.curves
    }
    told = ", ".join(f"{label} {share:.2f}" for label, share in shares.items())
    holds = all(share < 1.05 for share in shares.values())
    return Claim("nobody has many more results with a larger window", holds, f"times {told}")


def find(setup: Setup) -> Findings:
    panels = setting.panels(setup, measure, _SECONDS, "window in seconds")
    importance, results, fairness = panels
    size = setting.means(fairness, "size")
    claims = [
        *setting.is_best(importance),
        *(
            setting.trend(f"{who} gains importance with the window", importance, who, rises=True)
            for who in (setting.PRINTED, setting.SHORT, "greedy")
        ),
        _hardly_changes(results),
        *setting.is_fair(fairness),
        Claim(
            "size falls from 90 % to 42 % of fairness",
            0.85 <= size[0] <= 0.95 and 0.37 <= size[-1] <= 0.47,
            f"from {size[0]:.1%} to {size[-1]:.1%}",
        ),
    ]
    return setting.findings(panels, claims)


EXPERIMENT = Experiment(
    name="ijoin-window",
    summary="importance, results and fairness of iJoin and others over the window",
    paper=f"{setting.PAPER}, Fig. 3",
    find=find,
    runs=5,
    steps=setting.STEPS,
)
