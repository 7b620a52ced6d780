"""From a strategy's name to the strategy: every file of the folder `strategies` is one."""

from functools import cache

from streamjoin_core.errors import InputError
from streamjoin_core.named_files import file_of, names_in
from streamjoin_core.parameters import Parameters, parse_named
from streamjoin_core.shedding import strategies
from streamjoin_core.shedding.base import Strategy


@cache
def strategy_names() -> tuple[str, ...]:
    """Names of all strategies, sorted."""
    return names_in(strategies.__path__)


def find_strategy(name: str) -> Strategy:
    if name not in strategy_names():
        known = ", ".join(strategy_names())
        raise InputError(f"there is no strategy {name!r}: choose among {known}")
    return file_of(strategies.__name__, name).STRATEGY


def parse_strategy(text: str) -> tuple[Strategy, Parameters]:
    """A strategy with its parameters from `name` or `name:key=value,key=value`."""
    return parse_named("strategy", text, find_strategy)


def all_strategies() -> list[Strategy]:
    return [find_strategy(name) for name in strategy_names()]
