"""HEEB: the tuple of the lowest estimated expected benefit leaves first.

    H(x) = sum over wait >= 1 of Pr{B produces what joins x at t + wait | history} * L(wait)

for x of stream A and B the other stream, where L estimates how likely x is still in memory then:
e^(-wait/alpha) by default; 0 past the end of x's window. For caching the probability is that of the
first reference to x. Among equal scores the earlier arrival leaves first; in caching the least
recently referenced.

The model of each stream is the user's (`--model`), else the trace's own, else learnt while
replaying (`empirical`). The default alpha follows the model by the mean lifetime l it lets expect,
l = 1 / (1 - e^(-1/alpha)): l is the mean bound of uniform noise around a trend, or twice the mean
deviation of normal noise over the trend's speed; for all others alpha is the memory. With
`alpha=adaptive` it follows the mean lifetime of those that left memory; with `alpha=auto`, several
are replayed beside each other, and at each time one that is clearly ahead so far decides; for
caching with an ar1 model, which forgets soon what alpha = memory would weigh, that is the default.

How H is found is chosen by the model, and can be forced by `evaluation`:

    table    look-ups: the offset from a trend (corollary 5), the curve h1 and the surface h2
             (theorem 3), all exact to rounding; the default
    spline   h1 and h2 from `grid` control points along each axis, by cubic and bicubic splines;
             an approximation, as good as the grid is fine
    direct   the defining sum, for every candidate at every step
    time     joining with a trend or a stationary model, life exp: from the score of the step
             before (corollary 3), to within 1e-10
    value    likewise, and arrivals from the nearest cached tuple (corollary 5)

Needs: nothing; whole numbers as keys for trends, walks and ar1 models.
Cost: O(mem) per arrival, one look-up per candidate and step; O(log mem) where both models are
stationary or learnt and there is no window. The tables are computed once.
Differences from the paper: the curve h1 and the surface h2 are exact by default, not interpolated,
since five control points cannot hold a ridge that is narrower than their distance; processes are of
whole numbers, rounded at every step.
References: J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005,
sections 5.3, 6.1 and 7; J. Xie's dissertation, Duke University 2005, chapter 3.
"""

from dataclasses import dataclass
from math import inf

import numpy as np

from streamjoin_core.engine.caching import CachingTask
from streamjoin_core.engine.condition import EQUAL
from streamjoin_core.engine.facts import CachingFacts, JoinFacts
from streamjoin_core.engine.foreseen import (
    BY_TIME,
    BY_VALUE,
    LOOKED_UP,
    SUMMED,
    new_outlook,
    replay_outlook,
)
from streamjoin_core.engine.foreseen_uses import replay_foreseen
from streamjoin_core.engine.joining import JoinTask, run_join
from streamjoin_core.engine.keyed import new_keyed, replay_keyed
from streamjoin_core.errors import InputError
from streamjoin_core.models.alpha import ALPHAS, alphas_to_try, leaders, usual_alpha
from streamjoin_core.models.chances import COUNTED, FIXED, LINE, Ask, Foreseen
from streamjoin_core.models.empirical import Empirical
from streamjoin_core.models.given import models_by_stream, read_entry
from streamjoin_core.models.known import known_probabilities
from streamjoin_core.models.life import Life, parse_life
from streamjoin_core.models.spline import interpolated
from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.policies.base import Policy

_EVALUATIONS = {
    "table": LOOKED_UP,
    "spline": LOOKED_UP,
    "direct": SUMMED,
    "time": BY_TIME,
    "value": BY_VALUE,
}


@dataclass(frozen=True)
class Heeb(Parameters):
    life: str = parameter("exp", "how long tuples stay: exp, fixed:STEPS, inf or inv")
    alpha: str | None = parameter(
        None, "of life exp: a number, adaptive or auto; else by the model"
    )
    evaluation: str = parameter("table", "how scores are found", choices=tuple(_EVALUATIONS))
    grid: int = parameter(5, "of a spline: control points along each axis; 0 for all", least=0)

    def __post_init__(self):
        super().__post_init__()
        kind, _ = parse_life(self.life)
        if self.alpha is not None:
            if kind != "exp":
                raise InputError(f"life {self.life} has no alpha: leave one of them out")
            _checked_alpha(self.alpha)
        if self.grid != 5 and self.evaluation != "spline":
            raise InputError("grid is for evaluation spline: leave one of them out")


def _checked_alpha(alpha: str) -> float | str:
    if alpha in ("adaptive", "auto"):
        return alpha
    try:
        number = float(alpha)
    except ValueError:
        number = 0.0
    if not 1e-3 <= number <= 1e9:
        raise InputError(f"alpha is {alpha!r}: give a number above 0, adaptive or auto")
    return number


def replay_joining(task: JoinTask) -> JoinFacts:
    kind, limit = parse_life(task.params.life)
    if kind in ("inf", "inv"):
        raise InputError(f"life {kind} is for caching only: give exp or fixed:STEPS")
    if kind == "fixed":
        return _replay(task, np.zeros(1), (Life("fixed", limit=limit),))
    models = models_by_stream(task.join.trace.labels, task.model)
    alpha = None if task.params.alpha is None else _checked_alpha(task.params.alpha)
    if alpha == "adaptive":
        return _replay(task, ALPHAS, _exponential(ALPHAS), adapts=True)
    if alpha == "auto":
        return _replay_leaders(task, np.array(alphas_to_try(task.mem)))
    if alpha is None:
        alpha = usual_alpha(models, task.mem, is_caching=False)
    alphas = np.array([alpha])
    return _replay(task, alphas, _exponential(alphas))


def _exponential(alphas) -> tuple[Life, ...]:
    return tuple(Life("exp", alpha=float(alpha)) for alpha in alphas)


def _replay(task: JoinTask, alphas: np.ndarray, lives: tuple[Life, ...], adapts=False) -> JoinFacts:
    foreseen = _foreseen(task, lives)
    if _ranks_keys(task, foreseen):
        # What all tuples share, the sum of L, ranks nobody.
        known = known_probabilities(task.join, task.model)
        return run_join(task, replay_keyed, new_keyed(task, known), keeps_keys=True)
    evaluation = _EVALUATIONS[task.params.evaluation]
    outlook = new_outlook(
        task, foreseen, alphas, lives[0].limit, adapts=adapts, evaluation=evaluation
    )
    return run_join(task, replay_outlook, outlook)


def _ranks_keys(task: JoinTask, foreseen: list[Foreseen]) -> bool:
    """Whether scores are chances that do not depend on anything but the key."""
    if task.join.has_window or task.params.evaluation != "table":
        return False
    rules = {one.rule for one in foreseen}
    return rules == {FIXED} or (rules == {COUNTED} and task.join.rules.condition.kind == EQUAL)


def _replay_leaders(task: JoinTask, alphas: np.ndarray) -> JoinFacts:
    """Each alpha is replayed, and the one ahead so far decides."""
    lives = _exponential(alphas)
    foreseen = _foreseen(task, lives)
    evaluation = _EVALUATIONS[task.params.evaluation]
    rows = len(task.join.trace)
    ahead = np.zeros((len(alphas), rows), np.int64)
    for number in range(len(alphas)):
        outlook = new_outlook(
            task,
            foreseen,
            alphas,
            0,
            evaluation=evaluation,
            told=np.full(rows, number, np.int32),
            notes_results=True,
        )
        run_join(task, replay_outlook, outlook)
        ahead[number] = np.cumsum(outlook.results)
    outlook = new_outlook(task, foreseen, alphas, 0, evaluation=evaluation, told=leaders(ahead))
    return run_join(task, replay_outlook, outlook)


def _foreseen(task: JoinTask, lives: tuple[Life, ...]) -> list[Foreseen]:
    """What the tuples of the left and of the right stream may expect."""
    join, params = task.join, task.params
    models = models_by_stream(join.trace.labels, task.model)
    wants_terms = params.evaluation in ("direct", "time", "value")
    found = []
    for stream in range(2):
        window = int(join.rules.window[stream]) if join.has_window else None
        ask = Ask(join.trace, stream, lives, join.on, join.band, window, wants_terms=wants_terms)
        found.append(models[1 - stream].joining(ask))
    if params.evaluation == "spline":
        found = [interpolated(one, params.grid) for one in found]
    if params.evaluation in ("time", "value"):
        _check_independent(task, found, lives)
    return found


def _check_independent(task: JoinTask, foreseen: list[Foreseen], lives: tuple[Life, ...]) -> None:
    is_one_life = len(lives) == 1 and lives[0].kind == "exp"
    if (
        not is_one_life
        or not all(one.rule in (LINE, FIXED) for one in foreseen)
        or task.join.rules.by_tuples
    ):
        raise InputError(
            f"evaluation {task.params.evaluation} is for trends and stationary models, life exp "
            "with one alpha, and windows of time: give evaluation table or direct"
        )


def replay_caching(task: CachingTask) -> CachingFacts:
    (model, *_) = models_by_stream(task.trace.labels, task.model)
    kind, limit = parse_life(task.params.life)
    alpha = None if task.params.alpha is None else _checked_alpha(task.params.alpha)
    if task.params.evaluation in ("time", "value"):
        raise InputError(
            f"evaluation {task.params.evaluation} is for joining: give table, spline or direct"
        )
    if kind != "exp":
        return _replay_uses(task, model, (Life(kind, limit=limit),))
    if alpha is None:
        alpha = usual_alpha([model], task.mem, is_caching=True)
    if alpha == "adaptive":
        return _replay_uses(task, model, _exponential(ALPHAS), adapts=ALPHAS)
    alphas = alphas_to_try(task.mem) if alpha == "auto" else [alpha]
    return _replay_uses(task, model, _exponential(alphas))


def _replay_uses(task: CachingTask, model, lives: tuple[Life, ...], adapts=None) -> CachingFacts:
    """One replay; of several lives, if nothing adapts, the one ahead so far decides."""
    wants_terms = task.params.evaluation == "direct"
    ask = Ask(task.trace, 0, lives, "=", None, None, is_caching=True, wants_terms=wants_terms)
    foreseen = model.caching(ask)
    if task.params.evaluation == "spline":
        foreseen = interpolated(foreseen, task.params.grid)
    if len(lives) == 1 or adapts is not None:
        return replay_foreseen(task, foreseen, lives[0], adapts=adapts)
    ahead = np.zeros((len(lives), task.rows), np.int64)
    for number, life in enumerate(lives):
        hits = np.zeros(task.rows, np.uint8)
        choice = np.full(task.rows, number, np.int32)
        replay_foreseen(task, foreseen, life, choice=choice, hits=hits)
        ahead[number, 1:] = np.cumsum(hits[:-1])
    return replay_foreseen(task, foreseen, lives[0], choice=leaders(ahead))


def settled(params: Heeb, problem: str, entries: dict, mem: int | None) -> dict:
    """With the alpha that was used; `mem` where each part of a trace has its own."""
    if params.alpha is not None or parse_life(params.life)[0] != "exp":
        return params.as_dict()
    is_caching = problem == "caching"
    streams = 1 if is_caching else 2
    known = [read_entry(entry) for entry in list(entries.values())[:streams]]
    models = known + [Empirical()] * (streams - len(known))
    alpha = usual_alpha(models, inf if mem is None else mem, is_caching)
    if alpha != "auto":
        alpha = "mem" if alpha == inf else f"{alpha:.12g}"
    return params.as_dict() | {"alpha": alpha}


POLICY = Policy(
    name="heeb",
    summary="the lowest expected benefit, by what is known or learnt of the process",
    paper="Xie, Yang, Chen 2005, §5.3",
    cost="O(mem), a look-up each; O(log mem) for stationary models",
    joining=replay_joining,
    caching=replay_caching,
    parameters=Heeb,
    settled=settled,
)
