"""The joining problem: what a replay is asked, prepared once, and one run of one policy."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from streamjoin_core.age.curve import AgeCurve
from streamjoin_core.engine.condition import find_condition, new_counts
from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.importance import exact_importance
from streamjoin_core.engine.loop import Limits, Outcome, Run, Scratch
from streamjoin_core.engine.memory import new_memory
from streamjoin_core.engine.rules import COMBINATIONS, Rows, Rules
from streamjoin_core.engine.unlimited import MOST_ARRIVALS, Unlimited, survey
from streamjoin_core.engine.ways import DROPPED, EVICTED, EXPIRED, LEAVES, NUMBER_OF_WAYS, SATED
from streamjoin_core.engine.work import UNLIMITED_WORK, Work
from streamjoin_core.parameters import Parameters
from streamjoin_core.trace.trace import Trace
from streamjoin_core.trace.units import LONGEST


@dataclass(frozen=True, eq=False)
class Join:
    """A trace and the options that decide which pairs there are; runs share what it computes."""

    trace: Trace
    rows: Rows
    rules: Rules
    has_window: bool
    on: str
    band: tuple[float, float] | None

    @property
    def number_of_keys(self) -> int:
        return len(self.trace.key_values)

    @property
    def number_of_groups(self) -> int:
        return max(1, len(self.trace.group_labels))

    @cached_property
    def unlimited(self) -> Unlimited:
        return survey(self.rows, self.rules, self.number_of_keys, self.number_of_groups)

    @cached_property
    def exact_importance(self) -> np.ndarray:
        """Importance [group, (exact, same step)] of all pairs."""
        if len(self.rows.importance):
            return exact_importance(self.rows, self.rules, self.number_of_groups)
        return self.unlimited.groups * self.weight_of_a_pair

    @property
    def weight_of_a_pair(self) -> float:
        """The importance of a pair where every tuple has importance 1."""
        return weight_of_a_pair(COMBINATIONS[self.rules.combination])

    @property
    def most_arrivals(self) -> int:
        """The largest number of arrivals in one step."""
        return int(self.unlimited.pairs[MOST_ARRIVALS])


def weight_of_a_pair(combination: str) -> float:
    """The importance of a pair where every tuple has importance 1."""
    return 2.0 if combination == "sum" else 1.0


def prepare_join(
    trace: Trace,
    *,
    window: tuple[int, int] | None,
    by_tuples: bool,
    evict_first: bool,
    on: str,
    band: tuple[float, float] | None,
    combination: str,
    first_counted: int,
) -> Join:
    nothing = np.empty(0)
    rows = Rows(
        trace.time,
        trace.stream,
        trace.key.view(np.uint32),  # without a sign, as slots are
        nothing if trace.importance is None else trace.importance,
        nothing.astype(np.int32) if trace.group is None else trace.group,
        *_redefined(trace),
    )
    rules = Rules(
        find_condition(trace.key_values, on, band),
        np.array(window or (LONGEST, LONGEST), np.int64),
        by_tuples and window is not None,  # without a window, ages are times
        evict_first,
        first_counted,
        COMBINATIONS.index(combination),
    )
    return Join(trace, rows, rules, window is not None, on, band)


def _redefined(trace: Trace) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The importance in force in each period, and each row's period and kind."""
    changes = trace.redefinition
    if changes is None:
        none = np.empty(0, np.int32)
        return np.empty((0, 0)), none, none
    period = np.searchsorted(changes.starts, trace.time, "right").astype(np.int32)
    return changes.table, period, changes.kind


@dataclass(frozen=True, eq=False)
class JoinTask:
    """One run: a policy with its parameters on a join, with memory parts of given sizes."""

    join: Join
    params: Parameters
    parts: tuple[int, ...]  # (both,) or (left, right)
    seed: int = 0
    model: dict | None = None  # per stream label, if the process is known
    curves: tuple[AgeCurve, AgeCurve] | None = None  # of left and right, for whom goes by age
    records: bool = False  # whether to note when and how each tuple left
    work: Work = UNLIMITED_WORK  # what the processor may do

    @property
    def mem(self) -> int:
        return sum(self.parts)


def run_join(
    task: JoinTask,
    entry: Callable,
    state: tuple,
    *,
    ranks: bool = True,
    keeps_keys: bool = False,
    time_to_live: tuple[int, int] = (LONGEST, LONGEST),
    join_to_live: int = 0,
    counts_matches: bool = False,
) -> JoinFacts:
    """Run a policy's compiled entry point, which calls the loop with the policy's functions."""
    join = task.join
    rows, rules = join.rows, join.rules
    size = np.array([*task.parts, -1] if len(task.parts) == 2 else [-1, -1, task.mem], np.int64)
    counts_matches = counts_matches or join_to_live > 0
    limits = Limits(size, np.array(time_to_live, np.int64), join_to_live, counts_matches, ranks)
    slots = slots_needed(task, ranks)
    draws = len(task.work.sample.next) > 0
    keeps_keys = keeps_keys or counts_matches or len(rows.importance) > 0 or draws
    memory = new_memory(slots, join.number_of_keys, rules.condition.kind, keeps_keys)
    outcome = _new_outcome(join, slots, task.records)
    scratch = _new_scratch(join, slots)
    future = join.unlimited.future
    entry(Run(rows, rules, limits, future, memory, outcome, scratch, task.work), state)
    return _facts(outcome, len(rows.importance) > 0)


def slots_needed(task: JoinTask, ranks: bool = True) -> int:
    """Candidates that are held at once: drawn ones are all there before anyone leaves."""
    rows = len(task.join.rows.time)
    return max(1, min(rows, task.mem + (0 if ranks else task.join.most_arrivals)))


def _new_outcome(join: Join, slots: int, records: bool) -> Outcome:
    groups = join.number_of_groups
    recorded = len(join.rows.time) if records else 0
    return Outcome(
        results=np.zeros(groups, np.int64),
        importance=np.zeros(groups),
        ways=np.zeros(NUMBER_OF_WAYS, np.int64),
        lost=np.zeros(NUMBER_OF_WAYS, np.int64),
        lives=np.zeros((groups, 3)),
        left_slots=np.zeros(slots + 1, np.int64),
        steps=np.zeros(slots + 1, np.int64),
        way=np.zeros(recorded, np.uint8),
        leaving=np.zeros(recorded, np.int64),
        rival=np.full(recorded, -1, np.int32),
    )


def _new_scratch(join: Join, slots: int) -> Scratch:
    return Scratch(
        met=new_counts(join.number_of_keys, join.rules.condition.kind),
        ordinal=np.zeros(2, np.int64),
        own=np.zeros(join.most_arrivals, np.int32),
        slots=np.zeros(join.most_arrivals, np.uint32),
        done=np.zeros(slots + 1, np.uint32),
    )


def _facts(outcome: Outcome, has_importance: bool) -> JoinFacts:
    used = np.arange(1, len(outcome.steps))
    return JoinFacts(
        results=outcome.results,
        importance=outcome.importance if has_importance else None,
        lives=outcome.lives,
        evicted=int(outcome.ways[EVICTED]),
        dropped=int(outcome.ways[DROPPED]),
        expired=int(outcome.ways[[EXPIRED, LEAVES, SATED]].sum()),
        lost_never_admitted=int(outcome.lost[DROPPED]),
        lost_evicted=int(outcome.lost[EVICTED]),
        lost_expired=int(outcome.lost[[EXPIRED, LEAVES, SATED]].sum()),
        left_share_total=float((outcome.left_slots[1:] / used).sum()),
        steps_with_tuples=int(outcome.steps[1:].sum()),
        ways=outcome.way if len(outcome.way) else None,
        leaving=outcome.leaving if len(outcome.leaving) else None,
        rival=outcome.rival if len(outcome.rival) else None,
    )
