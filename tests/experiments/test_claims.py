"""Claims are judged by the numbers, so each of them can fail."""

import pytest

from streamjoin_core.experiments import _memories, fig6, fig8, fig15, fig16, lookahead
from streamjoin_core.experiments.base import Claim, Curve, Panel
from streamjoin_core.experiments.claims import is_ahead


def panel(x: str = "memory", **curves: dict) -> Panel:
    """A panel of curves given as {place: value}, or values of several runs."""
    return Panel(
        "made up",
        x,
        "results",
        tuple(
            Curve(label, {at: y if isinstance(y, tuple) else (y,) for at, y in points.items()})
            for label, points in curves.items()
        ),
    )


def holding(claims: tuple[Claim, ...]) -> list[bool]:
    return [claim.holds for claim in claims]


def test_ahead():
    claim = is_ahead("so", panel(a={1: 5, 2: 9}, b={1: 4, 2: 3}), "a", ["b"])
    assert claim == Claim("so", True, "in all 2 cases; closest: a 5, b 4 (memory 1)")
    claim = is_ahead("so", panel(a={1: 5, 2: 3}, b={1: 4, 2: 9}), "a", ["b"])
    assert claim == Claim("so", False, "not in 1 of 2 cases: a 3, b 9 (memory 2)")


def test_ties_count_only_if_allowed():
    tied = panel(a={"X": 5}, b={"X": 5})
    assert not is_ahead("", tied, "a", ["b"]).holds
    assert is_ahead("", tied, "a", ["b"], ties=True).holds
    nothing = panel(a={"X": 0}, b={"X": 0})
    assert not is_ahead("", nothing, "a", ["b"]).holds
    assert is_ahead("", nothing, "a", ["b"], ties=True).holds
    assert is_ahead("", panel(a={"X": 1}, b={"X": 0}), "a", ["b"]).holds


def test_a_share_is_enough():
    close = panel(a={1: 91}, b={1: 100})
    assert is_ahead("", close, "a", ["b"], share=0.9).holds
    assert not is_ahead("", close, "a", ["b"], share=0.92).holds


@pytest.mark.parametrize(("ahead", "holds"), [(0, False), (1, False), (2, False), (3, True)])
def test_mostly_is_more_than_half(ahead, holds):
    half = panel(a={at: int(at < ahead) for at in range(4)}, b={at: 0.5 for at in range(4)})
    assert is_ahead("", half, "a", ["b"], mostly=True).holds is holds


def test_who_is_missing_is_not_compared():
    some = panel(a={1: 5, 2: 5}, b={1: 4}, c={1: (None,)})
    claim = is_ahead("", some, "a", ["b", "c", "d"])
    assert claim.found == "in all 1 cases; closest: a 5, b 4 (memory 1)"
    nobody = is_ahead("", some, "a", ["d"])
    assert nobody == Claim("", False, "nothing to compare")


def test_chance_is_told_run_by_run():
    """Runs on the same trace differ little from each other, however much traces differ."""
    sure = panel(a={1: (10, 1000, 100)}, b={1: (11, 1001, 101)})
    assert "chance" not in is_ahead("", sure, "a", ["b"]).found
    unsure = panel(a={1: (10, 1000, 100)}, b={1: (9, 1009, 101)})
    assert is_ahead("", unsure, "a", ["b"]).found.endswith("of these 1 may be chance")
    against_one = panel(a={1: (10, 12, 11)}, b={1: 11.1})
    assert is_ahead("", against_one, "a", ["b"]).found.endswith("of these 1 may be chance")


def test_fig6_claims():
    falling = {x: 1 / (1 + abs(x)) for x in range(-10, 31)}
    right = {x: float(x > 0) + x % 4 * 0.01 for x in range(-10, 31)}
    drawn = panel(still=falling, slow=right, fast=right)
    assert holding(fig6.claims(drawn)) == [True, False, False]
    assert not fig6.claims(panel(still=right, slow=right, fast=right))[0].holds


def test_fig8_claims():
    names = ("opt", "heeb", "flowexpect", "fifo", "rand", "prob", "life", "heeb:alpha=auto")
    places = ("TOWER", "ROOF", "FLOOR")
    best_first = {name: dict.fromkeys(places, 9 - at) for at, name in enumerate(names)}
    assert holding(fig8.claims(panel(**best_first))) == [True, True, True, False, True, False]
    best_last = {name: dict.fromkeys(places, 1 + at) for at, name in enumerate(names)}
    assert holding(fig8.claims(panel(**best_last))) == [False, False, False, True, False, True]


def test_memory_claims():
    curves = {
        "opt": {1: 50, 2: 100},
        "heeb": {1: 50, 2: 99},
        "rand": {1: 40, 2: 30},
        "prob": {1: 20, 2: 99},
        "life": {1: 20, 2: 99},
    }
    found = panel(**curves)
    assert _memories.grows(found).found == "1 falls, such as rand from 40 to 30"
    assert _memories.catch_up(found, do=True) == Claim(
        "in the end all catch up with the optimum",
        False,
        "of the optimum with memory 2: heeb 99.0%, rand 30.0%, prob 99.0%, life 99.0%",
    )
    assert not _memories.catch_up(found, do=False).holds
    first = _memories.converges_first(found)
    assert first.holds
    assert first.found == "memory for 99% of the optimum: heeb 1, rand more, prob 2, life 2"
    assert _memories.grows(panel(**curves | {"rand": {1: 40, 2: 99}})).holds
    assert _memories.catch_up(panel(**curves | {"rand": {1: 40, 2: 99}}), do=True).holds
    assert not _memories.converges_first(panel(**curves | {"heeb": {1: 1, 2: 99}})).holds


def test_fig15_claims():
    names = ("lfd", "heeb", "heeb:alpha=mem", "lru", "lfu", "rand")
    good = dict(zip(names, ({10: hits} for hits in (99, 90, 80, 60, 50, 40)), strict=True))
    assert holding(fig15.claims(panel(**good))) == [True] * 4
    bad = dict(zip(names, ({10: hits} for hits in (40, 50, 60, 80, 90, 99)), strict=True))
    claims = fig15.claims(panel(**bad))
    assert holding(claims) == [False] * 4
    assert claims[2].found == "at most by -33.3% (memory 10)"


def test_fig16_claims():
    falls, rises = ({str(x): y for x, y in enumerate(ys)} for ys in ((0.5, 0.3), (0.5, 0.7)))
    assert holding(fig16.claims(panel(heeb=falls), panel(heeb=rises))) == [True] * 3
    assert holding(fig16.claims(panel(heeb=rises), panel(heeb=falls))) == [True, False, False]
    assert not fig16.claims(panel(heeb={"0": 0.6}), panel(heeb={"1": 0.6}))[0].holds


def test_lookahead_claims():
    def judged(at_one: float, at_five: float, later: float) -> list[bool]:
        flow = {1: at_one, 5: at_five} | {at: later for at in lookahead._AHEAD if at > 5}
        curves = {"flowexpect": {at: flow.get(at, at_five) for at in lookahead._AHEAD}}
        curves["opt"] = dict.fromkeys(lookahead._AHEAD, 120)
        return holding(lookahead.claims(panel(**curves)))

    assert judged(90, 100, 101) == [True, True, True]
    assert judged(100, 101, 130) == [False, False, False]
