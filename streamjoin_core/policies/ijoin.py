"""iJoin: importance times matches per unit of time; the young are spared, the idle are fined.

    score(x) = importance(x) * matches(x) / age(x)  -  c * idle(x) if idle(x) >= delta

`matches` are the results of x so far, each fading as e^(-decay * time since then); `idle` is the
time since the last one, or since arrival. Only the mature, of an age above tau, are candidates: an
arrival that finds a full memory without any is dropped, otherwise it enters. Scores are recomputed
at each eviction (successive), at every k-th (k-successive), or once a bucket of results was worth
less than the bucket before by more than a share epsilon (adaptive), and always at the first one. In
between, scores are those of the last recomputation, and tuples that were not mature then have their
initial one. The report tells the number of recomputations. Each memory part is managed on its own;
by default each stream has half of the memory. Time is in units of the trace, or for timestamps in
seconds, which plain numbers for tau and delta then are, too.

Cost: O(1) per result; per eviction, a look at some 30 who may be the lowest. Finding those takes a
look at all in memory, which is due at every tenth eviction or so, and at the worst at every one.
Differences from the paper: it leaves open what a bucket is (it compares consecutive executions of
the join), what happens if nobody is mature, and the first recomputation.
Reference: D. Kulkarni, C. V. Ravishankar, iJoin: importance-aware join approximation over data
streams, SSDBM 2008, sections 4.3 to 4.8.
"""

import re
from dataclasses import dataclass, replace
from math import frexp, isnan, nan

import numpy as np

from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import JoinTask, run_join
from streamjoin_core.engine.residence import NEVER, new_residence, replay_residence
from streamjoin_core.engine.residence_scores import Terms
from streamjoin_core.engine.rules import Rows
from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.policies.base import Policy
from streamjoin_core.trace.trace import Trace
from streamjoin_core.trace.units import UNITS_PER_SECOND, parse_duration

_HUGE = 1e100  # its products with matches and times are still far from the largest double
_EXACT = 2**53  # doubles below are whole numbers without gaps
_MOST_DECIMALS = 9
_PLAIN = re.compile(r"[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True)
class IJoin(Parameters):
    tau: str = parameter("2", "age up to which a tuple cannot be evicted (2s, or 2)")
    delta: str = parameter("3", "time without a result after which a tuple is fined (3s, or 3)")
    c: float = parameter(1.0, "fine per unit of time without a result", least=0)
    decay: float = parameter(0.0, "how fast matches fade, per unit of time", least=0)
    initial: float | None = parameter(None, "score on arrival, instead of the importance", least=0)
    recompute: str = parameter(
        "successive",
        "when scores are recomputed",
        choices=("successive", "k-successive", "adaptive"),
    )
    k: int = parameter(10, "evictions per recomputation, if k-successive", least=1)
    epsilon: float = parameter(0.1, "fall of a bucket of results, if adaptive", least=0)
    bucket: int = parameter(10, "results in a bucket, if adaptive", least=1)


def limits(params: IJoin, trace: Trace) -> tuple[int, int]:
    """tau and delta, in the trace's unit of time; a plain number counts seconds."""
    unit = trace.time_unit
    tau, delta = (
        f"{text}s" if unit and _PLAIN.fullmatch(text) else text
        for text in (params.tau, params.delta)
    )
    # Idle times are whole numbers of the unit, and count from delta on.
    return parse_duration(tau, unit), parse_duration(delta, unit, rounded_up=True)


def replay_joining(task: JoinTask) -> JoinFacts:
    scale = _decimal_scale(task.params, task.join.rows)
    rows, terms = _exact_terms(task, scale) if _is_exact(task, scale) else _moderate(*_terms(task))
    residence = new_residence(task, terms, rows)
    facts = run_join(task, replay_residence, residence, counts_matches=True)
    return replace(facts, recomputations=int(residence.filled[1]))


def _terms(task: JoinTask) -> tuple[Rows, Terms]:
    """The rows with their importances, and how priorities are made up of them."""
    params, trace = task.params, task.join.trace
    per_second = UNITS_PER_SECOND[trace.time_unit]
    maturity, patience = limits(params, trace)
    return task.join.rows, Terms(
        maturity=maturity,
        patience=patience,
        is_exact=False,
        weight=float(per_second),
        penalty=params.c / per_second,
        decay=params.decay / per_second,
        initial=nan if params.initial is None else params.initial,
        per_importance=1.0,
        plain=1.0,
        every={"successive": 1, "k-successive": params.k, "adaptive": NEVER}[params.recompute],
        bucket=params.bucket if params.recompute == "adaptive" else 0,
        fall=params.epsilon,
    )


def _exact_terms(task: JoinTask, scale: int) -> tuple[Rows, Terms]:
    """The same in whole numbers: all priorities are multiplied by scale and units per second."""
    rows, terms = _terms(task)
    unit = terms.weight
    return rows._replace(
        importance=np.rint(rows.importance * scale), redefined=np.rint(rows.redefined * scale)
    ), terms._replace(
        is_exact=True,
        weight=unit**2,
        penalty=np.rint(task.params.c * scale),
        initial=np.rint(terms.initial * scale) * unit,
        per_importance=unit,
        plain=float(scale),
    )


def _moderate(rows: Rows, terms: Terms) -> tuple[Rows, Terms]:
    """The same, with all that priorities are made up of scaled down if they could overflow."""
    initial = 0.0 if isnan(terms.initial) else terms.initial
    given = (rows.importance, rows.redefined)
    largest = max(terms.penalty, initial, *(values.max(initial=0.0) for values in given))
    if largest <= _HUGE:
        return rows, terms
    scale = 2.0 ** -frexp(largest)[1]  # a power of two keeps all digits
    return rows._replace(
        importance=rows.importance * scale, redefined=rows.redefined * scale
    ), terms._replace(
        penalty=terms.penalty * scale, initial=terms.initial * scale, plain=terms.plain * scale
    )


def _decimal_scale(params: IJoin, rows: Rows) -> int | None:
    """The power of ten that makes all importances and parameters whole numbers."""
    given = (params.c, params.initial or 0.0, *rows.redefined.ravel())
    values = np.concatenate([np.unique(rows.importance), given])
    scales = (10**digits for digits in range(_MOST_DECIMALS + 1))
    with np.errstate(over="ignore"):
        return next((s for s in scales if np.array_equal(np.rint(values * s) / s, values)), None)


def _is_exact(task: JoinTask, scale: int | None) -> bool:
    """Whether priorities are fractions of whole numbers that doubles can hold."""
    rows, rules, params = task.join.rows, task.join.rules, task.params
    if scale is None or params.decay > 0 or len(rows.time) == 0:
        return scale is not None and params.decay == 0
    longest = int(rows.time[-1]) - int(rows.time[0])
    if not rules.by_tuples:
        longest = min(longest, int(rules.window.max()))
    per_second = UNITS_PER_SECOND[task.join.trace.time_unit]
    most = float(max(1.0, rows.importance.max(initial=0.0), rows.redefined.max(initial=0.0)))
    largest = most * scale * len(rows.time) * per_second**2 + params.c * scale * longest**2
    return max(largest, (params.initial or 0.0) * scale * per_second) < _EXACT


POLICY = Policy(
    name="ijoin",
    summary="the least importance times matches per age, less a fine if idle; the young stay",
    paper="Kulkarni, Ravishankar 2008, §4",
    cost="O(mem) per eviction at the worst, O(1) per result",
    joining=replay_joining,
    parameters=IJoin,
    check=limits,
    split="even",
)
