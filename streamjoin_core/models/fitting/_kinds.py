"""The kinds of model that can be fitted: the files of this folder."""

import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path


@cache
def fitters() -> dict[str, Callable]:
    """The function that fits each kind, by the kind's name."""
    names = (module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    kinds = sorted(name for name in names if not name.startswith("_"))
    return {kind: import_module(f"{__package__}.{kind}").fit for kind in kinds}
