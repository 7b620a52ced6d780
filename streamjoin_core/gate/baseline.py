"""The baseline: a JSON file with what was reached, question by question.

A question is a trace, named from the baseline's own folder, with all options that decide its
numbers; for each policy and memory the measure that was reached is kept.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from streamjoin_core.age.given import source_text
from streamjoin_core.errors import InputError
from streamjoin_core.files import atomic_path, reason
from streamjoin_core.models.fitted import AUTO, ToFit
from streamjoin_core.plan import Plan
from streamjoin_core.report.report import json_ready
from streamjoin_core.trace.trace import Trace

_VERSION = 1
Reached = dict[str, dict[str, float | None]]  # by policy and memory


@dataclass(frozen=True)
class Entry:
    """One question and what was reached."""

    trace: str  # path from the baseline's folder
    fingerprint: str
    options: dict
    measure: str  # recall, or hit_ratio
    reached: Reached

    def asks_like(self, other: "Entry") -> bool:
        return (self.trace, self.options) == (other.trace, other.options)


def options_of(plan: Plan) -> dict:
    """The options that decide a plan's numbers, as `make_plan` takes them."""
    asked = {name: getattr(plan, name) for name in ("problem", "warmup", "seed", "seeds", "model")}
    if isinstance(plan.model, ToFit):
        asked |= {"model": AUTO, "fit_prefix": plan.model.share}
    if plan.problem == "joining":
        asked |= plan.joining_options()
    if plan.needs_curves:
        asked["age_curve"] = source_text(plan.age_curve)
    return json_ready(asked)


def trace_name(trace: Trace, baseline: str | os.PathLike) -> str:
    folder = Path(baseline).absolute().parent
    return Path(os.path.relpath(Path(trace.origin).absolute(), folder)).as_posix()


def read_baseline(path: str | os.PathLike) -> list[Entry]:
    """All entries."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {reason(error)}") from error
    except ValueError as error:
        raise InputError(f"cannot read {path}: it is no JSON: {error}") from error
    try:
        if content["schema_version"] != _VERSION:
            raise InputError(f"cannot read {path}: another version of sjoin wrote this baseline")
        return [Entry(**entry) for entry in content["entries"]]
    except (KeyError, TypeError) as error:
        raise InputError(
            f"cannot read {path}: it is no baseline; sjoin check --update-baseline writes one"
        ) from error


def write_baseline(entries: list[Entry], path: str | os.PathLike) -> None:
    """All or nothing, in an order that keeps differences small."""
    ordered = sorted(entries, key=lambda entry: (entry.trace, json.dumps(entry.options)))
    content = {"schema_version": _VERSION, "entries": [vars(entry) for entry in ordered]}
    with atomic_path(path) as temporary:
        text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
        temporary.write_text(text + "\n", encoding="utf-8")


def with_entry(entries: list[Entry], new: Entry) -> list[Entry]:
    """The entries with what a new one tells, in place of what they told of the same runs."""
    others = [entry for entry in entries if not entry.asks_like(new)]
    before = next((entry for entry in entries if entry.asks_like(new)), None)
    reached = dict(before.reached) if before and before.fingerprint == new.fingerprint else {}
    for label, memories in new.reached.items():
        reached[label] = reached.get(label, {}) | memories
    return [*others, Entry(new.trace, new.fingerprint, new.options, new.measure, reached)]
