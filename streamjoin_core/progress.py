"""How long work tells its caller how far it is."""

from collections.abc import Callable

# (what is being done, units done, units in all)
Progress = Callable[[str, int, int], None]


def silent(what: str, done: int, total: int) -> None:
    """The progress callback of callers who do not want to know."""
