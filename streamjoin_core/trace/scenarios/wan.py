"""Timestamps from two places, one of them far away, that match about a minute apart.

After Srivastava and Widom 2004, section 6.1. Times are milliseconds at the server, keys are
milliseconds of the source's own clock:

    R    near the server: key = time of sending, and it arrives `near` ms later
    S    far away: its clock is `skew` ms behind, and its tuples take
         delay + jitter Gamma(2, 1) ms, so that they overtake each other

Both send `rate` tuples per second. Join them with --band 59900:60100, S tuples that were sent 60
seconds after R tuples give or take 0.1, and --window 120000:0, since joining tuples always arrive
later on S. An R tuple then has its results at an age of 60 s, with the skew and the latency.

The paper gives no numbers of its network but the curve that came of it: most results at an age of
about 63 s, and 68.8 s as the age until which a tuple gives most of them per time. The defaults are
chosen so that these two come out.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.trace.scenarios._arrivals import merge_streams
from streamjoin_core.trace.scenarios._limits import check_rows
from streamjoin_core.trace.scenarios._scenario import Arrivals, Scenario


@dataclass(frozen=True)
class Wan(Parameters):
    rate: float = parameter(50.0, "tuples per second of each source", above=0)
    near: int = parameter(1, "latency of R in ms", least=0)
    skew: int = parameter(1500, "how far S's clock is behind, in ms", least=0)
    delay: int = parameter(500, "least latency of S in ms", least=0)
    jitter: float = parameter(1000.0, "scale of what comes on top of it, in ms", least=0)


def generate(params: Wan, steps: int, rng: np.random.Generator) -> Arrivals:
    number = int(params.rate * steps / 1000)
    check_rows(2 * number)
    sent = (np.arange(number) * (1000 / params.rate)).astype(np.int64)
    latency = params.delay + np.rint(params.jitter * rng.gamma(2.0, 1.0, number)).astype(np.int64)
    arrival = sent + latency
    order = np.argsort(arrival, kind="stable")
    far = arrival[order]
    seen = far < steps
    keys = [sent, (sent - params.skew)[order][seen]]
    return merge_streams([sent + params.near, far[seen]], keys)


def model(params: Wan, rng: np.random.Generator) -> str:
    return (
        "Keys are times, of which each occurs once: policy age learns the age curve from the trace."
    )


SCENARIO = Scenario(
    "wan",
    "timestamps from near and far, a minute apart",
    Wan,
    generate,
    model,
    600_000,
)
