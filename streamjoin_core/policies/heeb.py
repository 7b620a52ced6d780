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
`alpha=adaptive` it follows the mean lifetime observed; with `alpha=auto`, several are replayed
beside each other, and at each time one that is clearly ahead so far decides; for caching with an
ar1 model, which forgets soon what alpha = memory would weigh, that is the default.

Needs: nothing; whole numbers as keys for trends, walks and ar1 models.
Cost: O(mem) per arrival, one look-up per candidate; the tables are computed once.
Differences from the paper: the curve h1 and the surface h2 are exact by default, not interpolated;
processes are of whole numbers, rounded at every step.
References: J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005,
sections 5.3, 6.1 and 7; J. Xie's dissertation, Duke University 2005, chapter 3.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.engine.caching import CachingTask
from streamjoin_core.engine.facts import CachingFacts, JoinFacts
from streamjoin_core.engine.foreseen import new_outlook, replay_outlook
from streamjoin_core.engine.foreseen_uses import replay_foreseen
from streamjoin_core.engine.joining import JoinTask, run_join
from streamjoin_core.errors import InputError
from streamjoin_core.models.alpha import ALPHAS, alpha_of_models, alphas_to_try, leaders
from streamjoin_core.models.chances import Ask
from streamjoin_core.models.given import models_by_stream
from streamjoin_core.models.life import Life, parse_life
from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.policies.base import Policy


@dataclass(frozen=True)
class Heeb(Parameters):
    life: str = parameter("exp", "how long tuples stay: exp, fixed:STEPS, inf or inv")
    alpha: str | None = parameter(
        None, "of life exp: a number, adaptive or auto; else by the model"
    )

    def __post_init__(self):
        super().__post_init__()
        kind, _ = parse_life(self.life)
        if self.alpha is not None:
            if kind != "exp":
                raise InputError(f"life {self.life} has no alpha: leave one of them out")
            _checked_alpha(self.alpha)


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
    join = task.join
    models = models_by_stream(join.trace.labels, task.model)
    kind, limit = parse_life(task.params.life)
    if kind in ("inf", "inv"):
        raise InputError(f"life {kind} is for caching only: give exp or fixed:STEPS")
    alpha = None if task.params.alpha is None else _checked_alpha(task.params.alpha)
    adapts = alpha == "adaptive"
    if kind == "fixed":
        alphas, lives = np.zeros(1), (Life("fixed", limit=limit),)
    else:
        if alpha is None:
            alpha = alpha_of_models(models, task.mem)
        alphas = ALPHAS if adapts else np.array([alpha])
        lives = tuple(Life("exp", alpha=float(one)) for one in alphas)
    foreseen = []
    for stream in range(2):
        window = int(join.rules.window[stream]) if join.has_window else None
        ask = Ask(join.trace, stream, lives, join.on, join.band, window)
        foreseen.append(models[1 - stream].joining(ask))
    return run_join(task, replay_outlook, new_outlook(task, foreseen, alphas, limit, adapts=adapts))


def replay_caching(task: CachingTask) -> CachingFacts:
    (model, *_) = models_by_stream(task.trace.labels, task.model)
    kind, limit = parse_life(task.params.life)
    alpha = None if task.params.alpha is None else _checked_alpha(task.params.alpha)
    if alpha == "adaptive":
        raise InputError("alpha adaptive is for joining: give auto, or a number")
    if kind != "exp":
        return _replay_uses(task, model, (Life(kind, limit=limit),))
    if alpha is None:
        alpha = "auto" if getattr(model, "fades", False) else alpha_of_models([model], task.mem)
    if alpha != "auto":
        return _replay_uses(task, model, (Life("exp", alpha=float(alpha)),))
    lives = tuple(Life("exp", alpha=float(one)) for one in alphas_to_try(task.mem))
    return _replay_uses(task, model, lives)


def _replay_uses(task: CachingTask, model, lives: tuple[Life, ...]) -> CachingFacts:
    """One replay; of several lives, each is replayed, and the one ahead so far decides."""
    foreseen = model.caching(Ask(task.trace, 0, lives, "=", None, None, is_caching=True))
    none = np.zeros(0, np.int32)
    if len(lives) == 1:
        return replay_foreseen(task, foreseen, lives[0], none, none.astype(np.uint8))
    ahead = np.zeros((len(lives), task.rows), np.int64)
    for number, life in enumerate(lives):
        hits = np.zeros(task.rows, np.uint8)
        replay_foreseen(task, foreseen, life, np.full(task.rows, number, np.int32), hits)
        ahead[number, 1:] = np.cumsum(hits[:-1])
    choice = leaders(ahead)
    return replay_foreseen(task, foreseen, lives[0], choice, none.astype(np.uint8))


POLICY = Policy(
    name="heeb",
    summary="the lowest expected benefit, by what is known or learnt of the process",
    paper="Xie, Yang, Chen 2005, §5.3",
    cost="O(mem), a look-up each",
    joining=replay_joining,
    caching=replay_caching,
    parameters=Heeb,
)
