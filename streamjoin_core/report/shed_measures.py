"""Measures of a run under a budget: pure functions on what the replay noted of each row."""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.ways import (
    DROPPED,
    EVICTED,
    LEAVES,
    NUMBER_OF_WAYS,
    SATED,
    SHED,
    UNPAID,
)
from streamjoin_core.engine.work import PROBES, Work

_MOST_PERIODS = 50


@dataclass(frozen=True, eq=False)
class Noted:
    """What a replay noted of each row."""

    time: np.ndarray
    way: np.ndarray  # how it left
    leaving: np.ndarray  # and when
    work: Work


def noted_of(time: np.ndarray, facts: JoinFacts, work: Work) -> Noted:
    """What a recording replay noted, which for a trace without rows is nothing."""
    if facts.ways is None:
        return Noted(time, np.empty(0, np.uint8), np.empty(0, np.int64), work)
    return Noted(time, facts.ways, facts.leaving, work)


def sheds(noted: Noted) -> dict[str, int]:
    """Arrivals that did not enter or probe, by cause."""
    work = noted.work
    return {
        "entry_shed": int(np.count_nonzero(noted.way == SHED)),
        "entry_unpaid": int(np.count_nonzero(noted.way == UNPAID)),
        "probe_shed": int(np.count_nonzero(work.wanted & PROBES == 0)),
        "probe_unpaid": int(np.count_nonzero(work.unpaid)),
    }


def losses(noted: Noted) -> dict[str, int]:
    """Results that are missing, by cause: the earlier tuple's if it was gone, else the later's."""
    work = noted.work
    lost = np.bincount(noted.way, weights=work.lost, minlength=NUMBER_OF_WAYS)
    return {
        "entry_shed": int(lost[SHED]),
        "entry_unpaid": int(lost[UNPAID]),
        "probe_shed": int(work.passed.sum(dtype=np.int64)),
        "probe_unpaid": int(work.unpaid.sum(dtype=np.int64)),
        "memory_dropped": int(lost[DROPPED]),
        "memory_evicted": int(lost[EVICTED]),
        "policy_expired": int(lost[LEAVES] + lost[SATED]),
    }


def largest_burst(noted: Noted) -> float:
    """The most that was spent above the rate from any step to any later one."""
    time, work = noted.time, noted.work
    if not len(time):
        return 0.0
    starts = np.flatnonzero(np.concatenate(([True], time[1:] != time[:-1])))
    spent = np.add.reduceat(work.spent, starts)
    flowed = work.rate * (time[starts] - time[0])
    after = np.cumsum(spent) - flowed
    before = after - spent
    return float(np.max(after - np.minimum.accumulate(before)))


def over_time(noted: Noted) -> list[dict]:
    """What was spent and lost in equal periods, and which limit cost more results."""
    time, work = noted.time, noted.work
    if not len(time):
        return []
    first, length = int(time[0]), int(time[-1] - time[0]) + 1
    periods = min(_MOST_PERIODS, length)
    edges = [first + -(-length * period // periods) for period in range(periods + 1)]

    def total(amount: np.ndarray, when: np.ndarray) -> list:
        period = np.searchsorted(edges, when, side="right") - 1
        return np.bincount(period, amount, minlength=periods).tolist()

    spent = total(work.spent, time)
    at_once = total(work.passed + work.unpaid, time)
    is_cpu = (noted.way == SHED) | (noted.way == UNPAID)
    is_memory = (noted.way == DROPPED) | (noted.way == EVICTED)
    later, memory = (total(work.lost[which], noted.leaving[which]) for which in (is_cpu, is_memory))
    return [
        {
            "from": edges[period],
            "to": edges[period + 1],
            "allowed": work.rate * (edges[period + 1] - edges[period]),
            "spent": spent[period],
            "lost_to_cpu": int(at_once[period] + later[period]),
            "lost_to_memory": int(memory[period]),
            "binds": _which(at_once[period] + later[period], memory[period]),
        }
        for period in range(periods)
    ]


def _which(to_cpu: float, to_memory: float) -> str:
    """Which limit cost more results."""
    if to_cpu == to_memory:
        return "both" if to_cpu else "neither"
    return "cpu" if to_cpu > to_memory else "memory"
