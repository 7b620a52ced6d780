"""The smallest memory that reaches a target, found by few replays."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Found:
    """Where a curve first reaches a target."""

    mem: int | None  # None: nowhere up to the largest memory that makes sense
    reached: float | None  # with that memory, else the most that was seen
    is_monotone: bool  # as far as was seen
    replays: int


def smallest(curve: Callable[[int], float | None], target: float, most: int) -> Found:
    """Try doubled memories up to the most, then halve the gap before the first that reaches it.

    On a curve that only rises that is the smallest memory. Where it was seen to fall, a smaller one
    may do as well, in a gap between those that were tried.

    >>> smallest(lambda mem: min(1.0, mem / 100), 0.37, 1000)
    Found(mem=37, reached=0.37, is_monotone=True, replays=16)
    """
    seen: dict[int, float] = {}

    def value(mem: int) -> float:
        if mem not in seen:
            found = curve(mem)
            seen[mem] = -1.0 if found is None else found
        return seen[mem]

    tried = sorted({min(1 << power, most) for power in range(most.bit_length() + 1)})
    enough = [mem for mem in tried if value(mem) >= target]
    smallest = None
    if enough:
        smallest = enough[0]
        low = max((mem for mem in tried if mem < smallest), default=0)
        while smallest - low > 1:
            middle = (low + smallest) // 2
            low, smallest = (low, middle) if value(middle) >= target else (middle, smallest)
    in_order = [seen[mem] for mem in sorted(seen)]
    reached = max(in_order) if smallest is None else seen[smallest]
    return Found(
        smallest,
        None if reached < 0 else reached,
        all(one <= other for one, other in pairwise(in_order)),
        len(seen),
    )
