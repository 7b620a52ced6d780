"""What a fit found: per stream all candidates with their scores, and the one that was chosen."""

from dataclasses import asdict, dataclass, replace

import numpy as np

from streamjoin_core.models.fitting._candidate import Candidate
from streamjoin_core.models.fitting._goodness import Goodness
from streamjoin_core.report.report import json_ready

SCHEMA_VERSION = 1


@dataclass(frozen=True, eq=False)
class StreamFit:
    """One stream's candidates, the best one first."""

    label: str
    arrivals: int  # that were fitted to
    scored: int  # that candidates are compared by
    longest_gap: int  # units of time between two of them
    candidates: tuple[Candidate, ...]
    refused: dict[str, str]  # kinds that do not suit, and why
    goodness: Goodness  # of the chosen one
    time: np.ndarray  # of the scored arrivals
    residuals: np.ndarray  # of the chosen one; standard normal, if the model is true

    @property
    def chosen(self) -> Candidate:
        return self.candidates[0]

    def without_rows(self) -> "StreamFit":
        """The same without what grows with the number of arrivals."""
        candidates = tuple(one.without_rows() for one in self.candidates)
        return replace(self, candidates=candidates, time=self.time[:0], residuals=np.empty(0))

    def as_dict(self) -> dict:
        best = self.chosen
        return {
            "arrivals": self.arrivals,
            "scored": self.scored,
            "longest_gap": self.longest_gap,
            "candidates": [
                {
                    "name": one.name,
                    "kind": one.entry["kind"],
                    "is_chosen": one is best,
                    "parameters": one.parameters,
                    "log_likelihood": one.log_likelihood,
                    "aic": one.aic,
                    "bic": one.bic,
                    "fitted": numbers_of(one.entry),
                    "note": one.note,
                }
                for one in self.candidates
            ],
            "refused": self.refused,
            "goodness": asdict(self.goodness),
        }


@dataclass(frozen=True, eq=False)
class Fit:
    """The fitted model of a trace's streams, with whatever one must know to repeat it."""

    sjoin: str | None  # version; None when it runs from its sources alone
    trace: dict  # path, rows, fingerprint
    options: dict
    rows: int  # of the trace that were used, from the first on
    steps: int  # that these rows are in
    time_unit: str | None
    streams: tuple[StreamFit, ...]

    schema_version = SCHEMA_VERSION

    @property
    def model(self) -> dict[str, dict]:
        """The entries of a model file."""
        return {stream.label: stream.chosen.entry for stream in self.streams}

    def as_dict(self) -> dict:
        """The fit as its JSON has it."""
        return json_ready(
            {
                "schema_version": self.schema_version,
                "sjoin": self.sjoin,
                "trace": self.trace,
                "options": self.options,
                "rows_used": self.rows,
                "steps_used": self.steps,
                "streams": {stream.label: stream.as_dict() for stream in self.streams},
                "model": self.model,
            }
        )


def numbers_of(entry: dict) -> dict:
    """An entry's parameters by name; of a pmf only how many keys it has."""
    if entry["kind"] == "stationary":
        return {"keys": len(entry["pmf"])}
    plain = {name: value for name, value in entry.items() if name not in ("kind", "noise")}
    noise = entry.get("noise", {})
    return plain | {name: value for name, value in noise.items() if name != "kind"}
