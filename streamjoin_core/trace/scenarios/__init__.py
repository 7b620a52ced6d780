"""Synthetic traces: one file per scenario, each with its parameters, generator and model.

A new scenario is a new file here with a constant SCENARIO; nothing else has to know of it.
"""

import operator
from functools import cache

import numpy as np
import pyarrow as pa

from streamjoin_core.errors import InputError
from streamjoin_core.named_files import file_of, names_in
from streamjoin_core.parameters import make_parameters
from streamjoin_core.trace.scenarios._limits import MOST_ROWS, check_most
from streamjoin_core.trace.scenarios._scenario import LABELS, Arrivals, Scenario
from streamjoin_core.trace.table import trace_from_arrays
from streamjoin_core.trace.trace import Trace

__all__ = ["Scenario", "find_scenario", "generate", "scenarios"]


@cache
def _discovered() -> dict[str, Scenario]:
    return {name: file_of(__name__, name).SCENARIO for name in names_in(__path__)}


def scenarios() -> dict[str, Scenario]:
    """All scenarios by name, in alphabetical order."""
    return dict(_discovered())


def find_scenario(name: str) -> Scenario:
    """The scenario of that name, or an error that lists those there are."""
    try:
        return _discovered()[name]
    except KeyError:
        known = ", ".join(_discovered())
        raise InputError(f"scenario {name!r} is unknown: choose one of {known}") from None


def generate(name: str, *, steps: int | None = None, seed: int = 0, **parameters) -> Trace:
    """A trace of the named scenario; the same arguments give the same trace.

    Its metadata tell scenario, parameters, steps and seed, and the model of its keys' values, or a
    note why there is none.

    >>> trace = generate("tower", steps=3, seed=1, speed=2)
    >>> trace.time.tolist(), trace.metadata["model"]["S"]["slope"]
    ([0, 0, 1, 1, 2, 2], 2.0)
    """
    scenario = find_scenario(name)
    params = make_parameters(scenario.parameters, parameters, f"scenario {name}")
    steps = _whole("steps", scenario.steps if steps is None else steps, least=1)
    check_most("steps", steps, MOST_ROWS)
    seed = _whole("seed", seed, least=0)
    model = scenario.model(params, _generator(seed))
    metadata = {
        "scenario": name,
        "parameters": params.as_dict(),
        "steps": steps,
        "seed": seed,
        "model_note" if isinstance(model, str) else "model": model,
    }
    try:
        return _trace(scenario.generate(params, steps, _generator(seed)), metadata)
    except MemoryError as error:
        raise InputError(f"{steps} steps of {name} do not fit in memory: take fewer") from error


def _whole(name: str, given, least: int) -> int:
    try:
        number = operator.index(given)
    except TypeError:
        number = None
    if number is None or number < least:
        raise InputError(f"{name} is {given!r}: give a whole number of at least {least}")
    return number


def _generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def _trace(arrivals: Arrivals, metadata: dict) -> Trace:
    return trace_from_arrays(
        arrivals.time,
        arrivals.key,
        pa.DictionaryArray.from_arrays(arrivals.stream.view(np.int8), list(LABELS)),
        importance=arrivals.importance,
        value=arrivals.value,
        metadata=metadata,
    )
