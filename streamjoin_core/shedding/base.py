"""What a strategy is: how it decides, for each arrival, whether it probes and whether it enters."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from streamjoin_core.engine.chance import uniforms
from streamjoin_core.engine.joining import Join
from streamjoin_core.engine.work import ENTERS, PROBES
from streamjoin_core.parameters import Parameters, label
from streamjoin_core.shedding.budget import Budget
from streamjoin_core.shedding.costs import Costs
from streamjoin_core.shedding.steady import Steady, duration


@dataclass(frozen=True, eq=False)
class ShedTask:
    """What a strategy decides on."""

    join: Join
    costs: Costs
    budget: Budget
    find_steady: Callable[[], Steady]  # what is known or learnt of the streams, if asked for
    params: Parameters
    seed: int = 0

    @cached_property
    def steady(self) -> Steady:
        return self.find_steady()

    @property
    def whole_budget(self) -> float:
        """What the whole trace may cost."""
        return self.budget.over(duration(self.join.rows.time))


@dataclass(frozen=True, eq=False)
class Sampling:
    """Results that are drawn, each with the same chance."""

    chance: float
    pays_per_result: bool
    partners: np.ndarray  # float64 [stream, key]: how many a tuple counts on


@dataclass(frozen=True, eq=False)
class Decision:
    """What a strategy wants of each row, and what it expects of that."""

    wanted: np.ndarray  # uint8 [row]: PROBES and ENTERS
    predicted: float | None = None  # results per unit of time
    chances: dict = field(default_factory=dict)  # how it decides, for the report
    sampling: Sampling | None = None
    # A plan for the whole trace may spend its budget whenever it likes.
    spends_at_once: bool = False


@dataclass(frozen=True)
class Strategy:
    """One file of the folder `strategies`, which ends with `STRATEGY = Strategy(...)`."""

    name: str
    summary: str  # one line: who is shed
    paper: str
    decide: Callable[[ShedTask], Decision]
    parameters: type[Parameters] = Parameters
    is_random: bool = False
    knows_future: bool = False  # a bound rather than a competitor

    def label(self, params: Parameters) -> str:
        return label(self.name, params)


def everything(rows: int) -> np.ndarray:
    """All arrivals probe and enter."""
    return np.full(rows, PROBES | ENTERS, np.uint8)


def flip_coins(task: ShedTask, probes: np.ndarray, enters: np.ndarray) -> np.ndarray:
    """What each row does: one coin per row, against chances [stream] or [stream, key].

    Rows from which the frequencies were learnt do all that the purse can pay for.
    """
    rows = task.join.rows
    coin = uniforms(task.seed, len(rows.time))
    shape = (2, task.join.number_of_keys)
    wanted = np.zeros(len(rows.time), np.uint8)
    for chance, deed in ((probes, PROBES), (enters, ENTERS)):
        by_key = np.broadcast_to(chance if chance.ndim == 2 else chance[:, None], shape)
        wanted[coin < by_key[rows.stream, rows.key]] |= deed
    wanted[: task.steady.first_row] = PROBES | ENTERS
    return wanted
