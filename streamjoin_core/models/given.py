"""The model of a trace's streams as it is given: by the user, or by the trace's own metadata."""

import hashlib
import json
import os
from dataclasses import dataclass
from importlib import import_module

from streamjoin_core.errors import InputError
from streamjoin_core.files import read_json
from streamjoin_core.trace.trace import Trace

KINDS = ("stationary", "trend", "walk", "ar1", "empirical", "offline")


@dataclass(frozen=True)
class GivenModel:
    """One entry per stream, by its label as text."""

    source: str  # "user", "trace" or "fitted"
    entries: dict[str, dict]
    fitted_to: dict | None = None  # which rows of the trace, if it is fitted

    def account(self) -> dict:
        """What a report tells of it: where it is from, the kinds, and a digest of all numbers."""
        content = json.dumps(self.entries, sort_keys=True, default=str).encode()
        return {
            "source": self.source,
            "kinds": {label: entry["kind"] for label, entry in self.entries.items()},
            "fingerprint": hashlib.sha256(content).hexdigest()[:16],
            **({"fitted_to": self.fitted_to} if self.fitted_to else {}),
        }


def read_model(given: dict | str | os.PathLike | None) -> dict[str, dict] | None:
    """The model that a user names, with every entry checked; labels are left to the trace."""
    if given is None:
        return None
    if isinstance(given, str | os.PathLike):
        return _checked(read_json(given, "model"), f"model {given}")
    return _checked(given, "the model")


def read_entry(entry: dict):
    """One stream's model: the module named like its kind reads it."""
    return import_module(f"{__package__}.{entry['kind']}").read(entry)


def models_by_stream(labels: tuple, entries: dict[str, dict] | None) -> list:
    """The left and the right stream's model; of which nothing is known is learnt on the way.

    A stream without arrivals has whatever entry is left.
    """
    entries = entries or {}
    named = [str(label) for label in labels]
    named += [label for label in entries if label not in named][: 2 - len(named)]
    named += [None] * (2 - len(named))
    return [read_entry(entries.get(label, {"kind": "empirical"})) for label in named]


def given_model(named: dict[str, dict] | None, trace: Trace, streams: int) -> GivenModel | None:
    """The model that the user named, else the trace's own; `streams` is how many there can be.

    A stream may be missing from a trace, so a label that does not occur is an error only when
    there is no place left for it.
    """
    labels = [str(label) for label in trace.labels]
    if named is not None:
        others = [label for label in named if label not in labels]
        if len(labels) + len(others) > streams:
            there = " and ".join(map(repr, labels)) or "none"
            raise InputError(
                f"the model names stream {others[-1]!r}, but the streams of {trace.origin} are "
                f"{there}: name the model's entries like them"
            )
        return GivenModel("user", named)
    told = trace.metadata.get("model")
    if not isinstance(told, dict):
        return None
    own = {label: entry for label, entry in told.items() if label in labels}
    return GivenModel("trace", _checked(own, f"the model in {trace.origin}")) if own else None


def _checked(model, where: str) -> dict[str, dict]:
    if not isinstance(model, dict) or not model:
        raise InputError(f'{where} has no entry per stream: write {{"R": {{"kind": ...}}, ...}}')
    for label, entry in model.items():
        if not isinstance(entry, dict) or entry.get("kind") not in KINDS:
            raise InputError(f"{where} has no kind for stream {label!r}: give {' or '.join(KINDS)}")
        try:
            read_entry(entry)
        except InputError as error:
            raise InputError(f"{where}, stream {label!r}: {error}") from None
    return {str(label): entry for label, entry in model.items()}
