"""What HEEB expects of an object in the cache of a random walk with drift.

The curve h1 over the distance of the object from the last reference, for steps of variance 1 and
drifts 0, 2 and 4, with alpha = 10, the size of the cache. Nothing is replayed.
"""

from streamjoin_core.experiments.base import Claim, Curve, Experiment, Findings, Panel, Setup
from streamjoin_core.models.chances import Ask
from streamjoin_core.models.life import Life
from streamjoin_core.models.walk import Walk
from streamjoin_core.trace.table import trace_from_arrays

_DRIFTS = (0, 2, 4)
_ALPHA = 10.0
_DISTANCES = range(-10, 31)


def _expected_benefit(drift: int) -> Curve:
    # A trace as wide as the distances, since the model looks no further than it needs to.
    trace = trace_from_arrays([0, 1], [0, max(map(abs, _DISTANCES))])
    ask = Ask(trace, 0, (Life("exp", alpha=_ALPHA),), "=", None, None, is_caching=True)
    (table,) = Walk(float(drift), 1.0).caching(ask).tables
    benefit = table.at(_DISTANCES).tolist()
    return Curve(f"drift {drift}", {x: (h,) for x, h in zip(_DISTANCES, benefit, strict=True)})


def claims(panel: Panel) -> tuple[Claim, ...]:
    still, slow, fast = ({x: one.mean(x) for x in _DISTANCES} for one in panel.curves)
    near = range(-_DISTANCES[0])
    falls = all(still[x] > still[x + 1] and still[-x] > still[-x - 1] for x in near)
    mirrors = all(still[x] == still[-x] for x in near)
    shares = [_share_on_the_right(one) for one in (still, slow, fast)]
    step = _DRIFTS[-1]
    peaks = [x for x in range(step, 20, step) if fast[x] > max(fast[x - 2], fast[x + 2])]
    return (
        Claim(
            "without drift, whoever is farthest from the last reference is worth least",
            falls and mirrors,
            f"falls on both sides: {falls}; the same on both: {mirrors}",
        ),
        Claim(
            "the larger the drift, the more is what lies to the right preferred",
            shares == sorted(set(shares)),
            f"of all within 10, on the right {', '.join(f'{share:.6f}' for share in shares)}",
        ),
        Claim(
            "some more preference goes to what is a multiple of the drift away",
            len(peaks) >= 2,
            f"drift {step}: peaks at {', '.join(map(str, peaks)) or 'no multiple'}",
        ),
    )


def _share_on_the_right(benefit: dict[int, float]) -> float:
    far = -_DISTANCES[0]
    right = sum(benefit[x] for x in range(1, far + 1))
    return right / (right + sum(benefit[-x] for x in range(1, far + 1)))


def find(setup: Setup) -> Findings:
    curves = tuple(map(_expected_benefit, _DRIFTS))
    panel = Panel("h1, alpha = 10", "distance", "expected benefit", curves, digits=4)
    return Findings((panel,), claims(panel))


EXPERIMENT = Experiment(
    name="fig6",
    summary="HEEB's curve h1 for random walks with drift 0, 2 and 4",
    paper="Xie, Yang, Chen 2005, figure 6",
    find=find,
)
