"""How much work is allowed: from what a user wrote to cost per unit of time."""

import re
from dataclasses import dataclass
from math import isfinite

from streamjoin_core.errors import InputError
from streamjoin_core.trace.units import parse_duration

_WAY_OUT = (
    "give a share of the full join's cost such as 0.4 or 40%, or cost per time such as 500/s or, "
    "with integer times, 12/1"
)
_RATE = re.compile(r"(.+)/\s*([0-9.]*)\s*([a-z]*)")


@dataclass(frozen=True)
class Budget:
    """A token bucket in units of cost; `share` is None unless the budget was given as one."""

    text: str
    share: float | None
    rate: float  # cost per unit of the trace's time
    burst: float  # what may be spent at once

    def over(self, time: int) -> float:
        """What flows in over some time."""
        return self.rate * time


@dataclass(frozen=True)
class Wanted:
    """A budget as it was given: a share of the full cost, or cost per some time."""

    text: str
    amount: float
    per: str | None  # a length of time as text; None for a share

    def rate(self, full_cost_rate: float, unit: str | None) -> float:
        if self.per is None:
            return self.amount * full_cost_rate
        time = parse_duration(self.per, unit)
        if time == 0:
            raise InputError(f"budget {self.text!r} is per no time at all: {_WAY_OUT}")
        return self.amount / time


def parse_budget(given: str | float | None) -> Wanted:
    """A budget that is checked as far as that goes without the trace.

    >>> parse_budget("40%"), parse_budget("500/s").per, parse_budget("12/1").per
    (Wanted(text='40%', amount=0.4, per=None), '1s', '1')
    """
    if given is None:
        raise InputError(f"no budget is given: {_WAY_OUT}")
    text = str(given).strip()
    found = _RATE.fullmatch(text)
    number, per = (found[1], f"{found[2] or 1}{found[3]}") if found else (text, None)
    percent = per is None and number.endswith("%")
    try:
        amount = float(number.removesuffix("%") if percent else number)
    except ValueError:
        raise InputError(f"budget {text!r} is no number: {_WAY_OUT}") from None
    if not isfinite(amount) or amount <= 0:
        raise InputError(f"budget {text!r} is not above 0: {_WAY_OUT}")
    return Wanted(text, amount / 100 if percent else amount, per)
