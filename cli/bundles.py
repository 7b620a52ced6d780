"""Options that go together, declared once as a dataclass and taken by commands as one parameter."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import get_type_hints


def unpacked(command: Callable) -> Callable:
    """A command whose dataclass parameters are, to Typer, the options that are their fields.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Size:
    ...     width: int = 1
    ...     height: int = 2
    >>> @unpacked
    ... def area(size: Size, times: int = 1):
    ...     return size.width * size.height * times
    >>> list(signature(area).parameters), area(width=3)
    (['width', 'height', 'times'], 6)
    """
    hints = get_type_hints(command, include_extras=True)
    bundles = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    options = []
    for parameter in signature(command).parameters.values():
        if parameter.name in bundles:
            options += _options(bundles[parameter.name])
        else:
            kind = hints[parameter.name]
            options.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=kind))
    known = Signature(options)

    @wraps(command)
    def run(**given):
        bound = known.bind(**given)
        bound.apply_defaults()
        values = dict(bound.arguments)
        for name, kind in bundles.items():
            values[name] = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
        return command(**values)

    run.__signature__ = known
    run.__annotations__ = {option.name: option.annotation for option in options}
    return run


def _options(bundle: type) -> list[Parameter]:
    hints = get_type_hints(bundle, include_extras=True)
    return [
        Parameter(
            field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(bundle)
    ]
