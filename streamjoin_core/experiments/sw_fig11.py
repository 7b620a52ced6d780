"""One memory for two joins, with an increasing and a decreasing age curve, over their exponent.

Policy age, and 50 % of the memory that both need.
"""

from streamjoin_core.experiments._allocations import measured, panels
from streamjoin_core.experiments._widom import WINDOW
from streamjoin_core.experiments.base import Claim, Experiment, Findings, Setup
from streamjoin_core.experiments.claims import is_ahead
from streamjoin_core.experiments.measure import Measured
from streamjoin_core.trace.scenarios import generate

_EXPONENTS = (0.0, 1.0, 2.0, 3.0, 4.0)


def measure(exponent: float, seed: int, steps: int) -> Measured:
    traces = {
        shape.upper(): generate("age", steps=steps, seed=seed, curve=shape, exponent=exponent)
        for shape in ("inc", "dec")
    }
    return measured(exponent, traces, WINDOW, "age")


def find(setup: Setup) -> Findings:
    recall, memory = panels(setup, measure, _EXPONENTS, "exponent p")
    fair, prop = recall.curve("ALLOC"), recall.curve("PROP")
    fairs = [fair.mean(exponent) for exponent in _EXPONENTS]
    props = [prop.mean(exponent) for exponent in _EXPONENTS]
    dec = [memory.curve("DEC").mean(exponent) for exponent in _EXPONENTS]
    claims = (
        is_ahead(
            "ALLOC's smallest recall is not below PROP's",
            recall,
            "ALLOC",
            ("PROP",),
            share=0.98,
            ties=True,
        ),
        Claim(
            "ALLOC's smallest recall increases with the exponent",
            fairs == sorted(fairs),
            ", ".join(f"{mean:.3f}" for mean in fairs),
        ),
        Claim(
            "PROP's remains constant",
            max(props) <= 1.1 * min(props),
            ", ".join(f"{mean:.3f}" for mean in props),
        ),
        Claim(
            "ALLOC gives the decreasing curve, the easy one, the less the larger the exponent",
            dec[1:] == sorted(dec[1:], reverse=True),
            ", ".join(f"{share:.1f} %" for share in dec),
        ),
    )
    return Findings((recall, memory), claims)


EXPERIMENT = Experiment(
    name="sw-fig11",
    summary="memory across two joins by age: ALLOC against PROP over the exponent",
    paper="Srivastava, Widom 2004, figure 11",
    find=find,
    runs=3,
    steps=10_000,
    paper_runs=1,
)
