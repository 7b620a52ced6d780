"""The model of a trace's streams as its own first rows tell it."""

from dataclasses import dataclass

from streamjoin_core.errors import InputError
from streamjoin_core.models.given import GivenModel
from streamjoin_core.options import parse_share
from streamjoin_core.trace.trace import Trace

AUTO = "auto"
_USUAL_SHARE = 0.2


@dataclass(frozen=True)
class ToFit:
    """Instead of a model: that it is to be fitted."""

    share: float  # of the rows, from the first on


def read_auto(model, share) -> ToFit | None:
    """Whether a model is to be fitted, from the options of `replay`."""
    if str(model) == AUTO:
        return ToFit(_USUAL_SHARE if share is None else parse_share("fit-prefix", share))
    if share is not None:
        raise InputError("--fit-prefix says what --model auto is fitted to: give both, or none")
    return None


def fitted_model(asked: ToFit, trace: Trace, problem: str) -> GivenModel | None:
    """The best model of each stream, by the first rows alone; None for a trace without rows."""
    from streamjoin_core.models.fitting import fit

    if not len(trace):
        return None
    found = fit(trace, prefix=asked.share, problem=problem)
    used = {"prefix": asked.share, "rows": found.rows, "of": len(trace), "steps": found.steps}
    return GivenModel("fitted", found.model, used | {"criterion": found.options["criterion"]})
