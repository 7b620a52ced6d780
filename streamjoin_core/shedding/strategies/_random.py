"""What the random strategies share: their parameter, and the load of both streams."""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.shedding.base import ShedTask
from streamjoin_core.shedding.chances import Chances, Load


@dataclass(frozen=True)
class ByStreamOrKey(Parameters):
    by: str = parameter(
        "stream",
        "whether a stream's tuples have one chance, or each of its keys has its own: stream or key",
        choices=("stream", "key"),
    )


def whole_load(task: ShedTask) -> Load:
    steady = task.steady
    return Load(tuple(steady.rate.tolist()), tuple(steady.gains.sum(axis=1).tolist()))


def account(found: Chances) -> dict:
    """The chances for the report: where each key has its own, how many keys are in whole."""
    if np.ndim(found.left) == 0:
        return {"left": float(found.left), "right": float(found.right)}
    sides = {"left": found.left, "right": found.right}
    return {
        f"{name}_keys_{what}": int(np.count_nonzero(chosen))
        for name, chances in sides.items()
        for what, chosen in (("whole", chances >= 1), ("partly", (chances > 0) & (chances < 1)))
    }
