"""What strategies share that plan for the whole trace: they know its future."""

import numpy as np

from streamjoin_core.engine.work import ENTERS, PROBES
from streamjoin_core.shedding.base import Decision, ShedTask
from streamjoin_core.shedding.steady import duration
from streamjoin_core.shedding.subsets import Subset


def take(task: ShedTask, subset: Subset) -> Decision:
    """The tuples of a subset are processed in whole, the others not at all."""
    wanted = np.where(subset.rows, PROBES | ENTERS, 0).astype(np.uint8)
    return planned(task, wanted, subset.results, {"tuples": int(subset.rows.sum())})


def planned(task: ShedTask, wanted: np.ndarray, results: int, chances: dict) -> Decision:
    """A decision with the number of results that was planned."""
    rate = results / duration(task.join.rows.time)
    return Decision(wanted, rate, chances | {"planned": results}, spends_at_once=True)
