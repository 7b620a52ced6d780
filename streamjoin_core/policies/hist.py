"""HIST: the tuple that promises the fewest results per time it would stay leaves first.

    score(x) = (b(d) + 2 sqrt(1 + q) / n) * l(d),     d = v - c

for x of stream A with key v, where c is where B, the other stream, is now: on the line through its
arrivals so far (form `trend`), or at its last value (form `walk`). Two histograms of A over d learn
from each tuple of A that leaves memory after its own step: b(d) is the mean number of results that
tuples gave which entered at d, l(d) the mean of 1 / (time they stayed). Where a process moves on,
what matters of a value is its distance from the process, and of that the past tells the future.

Between the middles of neighbouring buckets, b and l are straight lines, and constant beyond the
outer middles. n and q are number and sum of squared deviations of the bucket of results that d is
in: little observed is hoped for, so that no stream or offset is written off by a few bad draws.
Outside all offsets observed the score is 0; before the first observation of A it is infinite. Among
equal scores the earlier arrival leaves first.

What a tuple gave are the arrivals of B seen since its own step that join it (under evict-first also
those that were dropped); it stayed until the last step that was seen. When one leaves at the start
of a step, by its window, that is the step before. Histograms are reviewed after every 50 tuples
that were observed: `engine/buckets.py` says how buckets decay, split and merge, and
`engine/tracking.py` how a line is drawn and, for form `auto`, how the form that foretold B better
is found.

Needs keys that are numbers; they are taken as doubles. No model is used and nothing is known
beforehand.
Parameters: buckets, of each histogram; decay, what each review leaves of older observations; form.
Cost: O(mem) per arrival, two look-ups per candidate.
Differences from the paper: it leaves open how means are tracked, when buckets change, and what is
said of offsets never observed. A bucket is split for its sum of squares, not for its deviation, so
that rare ones are not; straight lines in place of steps, and the hope, are ours.
Reference: J. Xie, J. Yang, Y. Chen, On joining and caching stochastic streams, SIGMOD 2005,
section 6.2.
"""

from dataclasses import dataclass

from streamjoin_core.engine.facts import JoinFacts
from streamjoin_core.engine.joining import JoinTask, run_join
from streamjoin_core.engine.observed import new_observed, replay_observed
from streamjoin_core.engine.tracking import LAST, LINE
from streamjoin_core.errors import InputError
from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.policies.base import Policy
from streamjoin_core.trace.trace import Trace

_FORMS = {"auto": None, "trend": LINE, "walk": LAST}


@dataclass(frozen=True)
class Hist(Parameters):
    buckets: int = parameter(10, "buckets of each histogram", least=1)
    decay: float = parameter(0.99, "what a review leaves of older observations, up to 1", above=0)
    form: str = parameter("auto", "how streams move: trend, walk or auto", choices=tuple(_FORMS))

    def __post_init__(self):
        super().__post_init__()
        if self.decay > 1:
            raise InputError(f"parameter decay is {self.decay:g}: give a number of at most 1")


def refuse_texts(params: Hist, trace: Trace) -> None:
    if not trace.numeric_keys:
        raise InputError("policy 'hist' needs keys that are numbers: choose prob for texts")


def replay_joining(task: JoinTask) -> JoinFacts:
    params = task.params
    observed = new_observed(task, params.buckets, params.decay, _FORMS[params.form])
    return run_join(task, replay_observed, observed, ranks=False)


POLICY = Policy(
    name="hist",
    summary="the fewest results per time it would stay, by histograms learnt while replaying",
    paper="Xie, Yang, Chen 2005, §6.2",
    cost="O(mem), two look-ups each",
    joining=replay_joining,
    parameters=Hist,
    needs=("numbers",),
    check=refuse_texts,
)
