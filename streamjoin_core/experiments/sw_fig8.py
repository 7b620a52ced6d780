"""The error of a windowed average over samples of the result, over memory.

Inversely correlated keys, Z = 2, values with mean and deviation 100; memory is in percent of what
holds R's whole window. UNIFORM's tuples take 34 bytes where others take 32, so it has fewer of
them. In the second panel the value is one of S, of which the paper tells no numbers.
"""

from streamjoin_core.experiments._widom import PERCENT, WINDOW, with_values, zipf
from streamjoin_core.experiments.base import Claim, Experiment, Findings, Panel, Setup
from streamjoin_core.experiments.claims import is_ahead
from streamjoin_core.experiments.measure import Measured, curves
from streamjoin_core.sampling import sample
from streamjoin_core.sampling.fraction import METHODS
from streamjoin_core.trace.trace import Trace

NOTES = (
    "in 10 % of the memory PPS-CLUSTER samples 4 of 10 results, UNIFORM less than 1, which "
    "outweighs that results of a cluster are alike",
)


def errors(trace: Trace, percents, seed: int, value_of: str = "left") -> Measured:
    """The mean relative error of each method at each memory."""
    found: Measured = {}
    for method in METHODS:
        for percent in percents:
            memory = WINDOW * percent // 100
            report = sample(
                trace,
                method=method,
                by="frequency",
                mem=memory * 32 // 34 if method == "uniform" else memory,
                window=(WINDOW, 0),
                agg_window=WINDOW,
                value_of=value_of,
                seed=seed,
            )
            found.setdefault(method, {})[percent] = report.runs[0].error_mean
    return found


def measure(value_of: str, seed: int, steps: int) -> Measured:
    trace = with_values(zipf("inverse", 2.0, seed, steps), 100, 100, seed)
    return errors(trace, PERCENT, seed, value_of)


def find(setup: Setup) -> Findings:
    of_left, of_right = (
        Panel(title, "memory %", "relative error", curves(setup, measure, (side,)), digits=4)
        for title, side in (("value of R", "left"), ("value of S", "right"))
    )
    uniform, pps = of_left.curve("uniform"), of_left.curve("pps-cluster")
    least, most = PERCENT[0], PERCENT[-1]
    claims = (
        is_ahead(
            "EQ-CLUSTER has larger errors than PPS-CLUSTER",
            of_left,
            "eq-cluster",
            ("pps-cluster",),
            ties=True,
        ),
        Claim(
            "UNIFORM is better than PPS-CLUSTER at 10 % of the memory",
            uniform.mean(least) < pps.mean(least),
            f"{uniform.mean(least):.4f} against {pps.mean(least):.4f}",
        ),
        Claim(
            "PPS-CLUSTER is better at higher memory",
            all(pps.mean(place) < uniform.mean(place) for place in PERCENT[4:]),
            f"at 50 %: {pps.mean(50):.4f} against {uniform.mean(50):.4f}",
        ),
        Claim(
            "UNIFORM's error is not 0 at 100 % of the memory",
            uniform.mean(most) > 0,
            f"{uniform.mean(most):.4f}",
        ),
        is_ahead(
            "for a value of S, UNIFORM has larger errors than PPS-CLUSTER",
            of_right,
            "uniform",
            ("pps-cluster",),
        ),
    )
    return Findings((of_left, of_right), claims, NOTES)


EXPERIMENT = Experiment(
    name="sw-fig8",
    summary="error of a sampled average over memory, inversely correlated keys",
    paper="Srivastava, Widom 2004, figure 8",
    find=find,
    runs=10,
    steps=5_000,
    least_steps=1_500,
    paper_runs=1,
)
