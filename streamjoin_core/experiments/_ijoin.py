"""What iJoin's experiments share: the setting, who is compared, and what is measured.

After D. Kulkarni, C. V. Ravishankar, iJoin: importance-aware join approximation over data streams,
SSDBM 2008, section 5, with the defaults of its Table 5: 100 to 200 tuples per second and stream for
100 seconds, 100 keys, importances from 1 to 100 that are redefined twice, memory for 10 tuples,
half for each stream, windows of 25 seconds, tau = 2 s, delta = 3 s, priorities recomputed at each
eviction; arrivals are served by evicting first, as in its worked example. Where it is silent: the
fine is 1 per second, matches do not fade, all keys are equally frequent, and nobody is told so.

With these numbers hardly anybody is mature: memory turns over in 33 ms, and tau is 2 s. So there is
a second iJoin, "ijoin, short", whose tau, delta and 1/c are the printed ones divided by 400.
The factor, and uniform keys, were chosen among several that were tried, as coming closest to the
paper: that curve shows what iJoin can do, and is no blind test of it.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise

from streamjoin_core.experiments.base import Claim, Curve, Findings, Panel, Place, Setup
from streamjoin_core.experiments.claims import is_ahead
from streamjoin_core.experiments.measure import Measured, curves
from streamjoin_core.replay import replay
from streamjoin_core.trace.scenarios import generate
from streamjoin_core.trace.trace import Trace

SECOND = 1000  # units of time
STEPS = 100 * SECOND
PAPER = "Kulkarni, Ravishankar 2008"
MEMORY = 10
WINDOW = 25 * SECOND
DELTA = 3 * SECOND
_SHORTER = 400
PRINTED, SHORT = "ijoin", "ijoin, short"
_OTHERS = {"fifo": "fifo", "rand": "rand", "size": "prob", "greedy": "greedy"}
_MEASURES = {"importance": "total importance", "results": "results", "fairness": "Jain's index"}
_DIGITS = {"fairness": 3}


def ijoins(delta: int = DELTA, **parameters) -> dict[str, str]:
    """iJoin as printed, and the short one."""
    more = "".join(f",{name}={value}" for name, value in parameters.items())
    return {
        PRINTED: f"ijoin:tau={2 * SECOND},delta={delta},c={1 / SECOND}{more}",
        SHORT: f"ijoin:tau={2 * SECOND // _SHORTER},delta={delta // _SHORTER},"
        f"c={_SHORTER / SECOND}{more}",
    }


def arrivals(seed: int, steps: int, **parameters) -> Trace:
    trace = generate("importance", steps=steps, seed=seed, skew=0, **parameters)
    return replace(trace, metadata={})  # which would tell policies how frequent keys are


def compare(
    trace: Trace,
    place: Place,
    seed: int,
    policies: dict[str, str] | None = None,
    *,
    mem: int = MEMORY,
    window: int = WINDOW,
) -> Measured:
    """All measures at one place, of policies by their labels, by default of all."""
    chosen = policies or all_policies()
    report = replay(
        trace,
        policy=list(chosen.values()),
        mem=mem,
        window=window,
        split="even",
        order="evict-first",
        seed=seed,
    )
    return {
        (measure, label): {place: getattr(run, measure)}
        for label, run in zip(chosen, report.runs, strict=True)
        for measure in (*_MEASURES, "recomputations")
    }


def all_policies(delta: int = DELTA) -> dict[str, str]:
    return _OTHERS | ijoins(delta)


def panels(
    setup: Setup, measure: Callable[..., Measured], cases: Iterable, x: str
) -> tuple[Panel, ...]:
    """One panel for each measure."""
    found = curves(setup, measure, cases)
    return tuple(
        Panel(
            title=name,
            x=x,
            y=unit,
            curves=tuple(
                Curve(curve.label[1], curve.values) for curve in found if curve.label[0] == name
            ),
            digits=_DIGITS.get(name, 0),
        )
        for name, unit in _MEASURES.items()
    )


def findings(panels: tuple[Panel, ...], claims: Iterable[Claim]) -> Findings:
    return Findings(panels, tuple(claims), (__doc__.split("\n\n")[-1].replace("\n", " ").strip(),))


def is_best(panel: Panel, text: str = "the largest total importance of all") -> list[Claim]:
    """The claim about iJoin against the others, as printed and short."""
    return [is_ahead(f"{who} has {text}", panel, who, _OTHERS) for who in (PRINTED, SHORT)]


def means(panel: Panel, who: str) -> list[float]:
    """Someone's curve, place by place; where it is undefined, nobody has lived for any time."""
    return [panel.curve(who).mean(place) or 0.0 for place in panel.places()]


def is_within(panel: Panel, who: str, low: float, high: float) -> Claim:
    """The claim that someone is so fair at every place."""
    values = means(panel, who)
    return Claim(
        f"{who} is {low:.0%} to {high:.0%} fair",
        all(low <= value <= high for value in values),
        f"from {min(values):.1%} to {max(values):.1%}",
    )


def is_fair(panel: Panel) -> list[Claim]:
    """What the paper says of fairness at every place of this panel."""
    return [is_within(panel, who, 0.80, 0.85) for who in (PRINTED, SHORT)]


def trend(text: str, panel: Panel, who: str, *, rises: bool) -> Claim:
    """The claim that someone's curve goes up, or down, from each place to the next."""
    values = means(panel, who)
    holds = all(after > before if rises else after < before for before, after in pairwise(values))
    return Claim(text, holds, " ".join(panel.number(value) for value in values))
