"""Whether what a paper claims came out: claims of the kind that who is ahead of whom."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from streamjoin_core.experiments.base import Claim, Panel, Place
from streamjoin_core.report.intervals import interval

_MOST_TOLD = 3


class Meeting(NamedTuple):
    """Two curves at one place."""

    panel: Panel
    place: Place
    who: str
    other: str

    @property
    def means(self) -> tuple[float, float]:
        return tuple(self.panel.curve(label).mean(self.place) for label in (self.who, self.other))

    def share(self) -> float:
        """What the first has of the second; of nothing, nothing is all."""
        own, others = self.means
        return own / others if others else 1.0 + (own > 0)

    def is_by_chance(self) -> bool:
        """Whether the differences of the runs, each on the same trace, may as well be 0."""
        own, others = (self.panel.curve(label).values[self.place] for label in self[2:])
        runs = max(len(own), len(others))
        if runs == 1:
            return False
        # Who does not draw ran once where there is one trace only.
        own, others = (one if len(one) == runs else one * runs for one in (own, others))
        found = interval([first - second for first, second in zip(own, others, strict=True)])
        return found["low"] <= 0 <= found["high"]

    def text(self) -> str:
        own, others = map(self.panel.number, self.means)
        at = self.place if isinstance(self.place, str) else f"{self.panel.x} {self.place:g}"
        return f"{self.who} {own}, {self.other} {others} ({at})"


def is_ahead(
    text: str,
    panels: Panel | Iterable[Panel],
    who: str,
    others: Iterable[str],
    *,
    share: float = 1.0,
    ties: bool = False,
    mostly: bool = False,
) -> Claim:
    """The claim that one curve has more than the others at every place of all panels.

    With a `share`, more than that share of theirs; with `ties`, as much will do; with `mostly`, it
    is enough to be so in more than half of the cases.
    """
    panels = [panels] if isinstance(panels, Panel) else panels
    meetings = [one for panel in panels for one in _meetings(panel, who, others)]
    behind = [one for one in meetings if one.share() < share or (one.share() == share and not ties)]
    allowed = (len(meetings) - 1) // 2 if mostly else 0
    return Claim(text, len(meetings) > 0 and len(behind) <= allowed, _found(meetings, behind))


def _meetings(panel: Panel, who: str, others: Iterable[str]) -> Iterator[Meeting]:
    labels = [curve.label for curve in panel.curves]
    for other in others:
        if {who, other} <= set(labels):
            for place in panel.places():
                meeting = Meeting(panel, place, who, other)
                if None not in meeting.means:
                    yield meeting


def _found(meetings: list[Meeting], behind: list[Meeting]) -> str:
    if not meetings:
        return "nothing to compare"
    if not behind:
        closest = min(meetings, key=Meeting.share)
        return f"in all {len(meetings)} cases; closest: {closest.text()}"
    worst = sorted(behind, key=Meeting.share)
    chances = sum(one.is_by_chance() for one in behind)
    told = "; ".join(one.text() for one in worst[:_MOST_TOLD])
    more = f" and {len(worst) - _MOST_TOLD} more" if len(worst) > _MOST_TOLD else ""
    luck = f"; of these {chances} may be chance" if chances else ""
    return f"not in {len(behind)} of {len(meetings)} cases: {told}{more}{luck}"
