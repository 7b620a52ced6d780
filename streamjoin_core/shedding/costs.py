"""What a tuple and a result cost, as the user or `sjoin calibrate` says."""

import json
import os
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from streamjoin_core.errors import InputError
from streamjoin_core.files import reason

WAY_OUT = "give --costs C_U:C_P such as 1:0.5, or a file as sjoin calibrate -o costs.json writes it"


@dataclass(frozen=True)
class Costs:
    """In any unit, as long as the budget is in the same one."""

    update: float  # of a tuple that enters memory, and leaves it
    production: float  # of a result

    def total(self, tuples: float, results: float) -> float:
        """Eq. 2 of Ayad and others (2005)."""
        return tuples * self.update + results * self.production


def read_costs(given: "Costs | str | tuple | dict | os.PathLike | None") -> Costs:
    """Costs as a pair, as text, or from a JSON file that has them as update and production.

    >>> read_costs("1:0.5"), read_costs((2, 0))
    (Costs(update=1.0, production=0.5), Costs(update=2.0, production=0.0))
    """
    if given is None:
        raise InputError(f"costs are missing: {WAY_OUT}")
    if isinstance(given, Costs):
        return given
    if isinstance(given, tuple | list):
        parts = given
    elif isinstance(given, dict):
        parts = [given.get("update"), given.get("production")]
    elif isinstance(given, str) and ":" in given and not Path(given).exists():
        parts = given.split(":")
    else:
        content = _read_json(given)
        return _checked([content["update"], content["production"]], str(given))
    return _checked(parts, given)


def _read_json(path: str | os.PathLike) -> dict:
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read costs {path}: {reason(error)}; {WAY_OUT}") from error
    except ValueError as error:
        raise InputError(f"costs {path} is not JSON: {error}") from error
    if not isinstance(content, dict) or not {"update", "production"} <= content.keys():
        raise InputError(f"costs {path} has no update and production: {WAY_OUT}")
    return content


def _checked(parts, given) -> Costs:
    try:
        update, production = map(float, parts)
    except (TypeError, ValueError):
        raise InputError(f"costs {given!r} are not two numbers: {WAY_OUT}") from None
    if not (isfinite(update) and isfinite(production) and min(update, production) >= 0):
        raise InputError(f"costs {given!r} are not both 0 or more: {WAY_OUT}")
    if update == production == 0:
        raise InputError("costs are both 0, so nothing need be shed: give one of them above 0")
    return Costs(update, production)
