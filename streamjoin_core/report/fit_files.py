"""A fit as files: the model for `--model`."""

import json
import os

from streamjoin_core.files import atomic_path, check_file
from streamjoin_core.models.fitting._found import Fit
from streamjoin_core.report.picture import SUFFIXES


def check_fit_paths(model: str | os.PathLike | None, plot: str | os.PathLike | None) -> None:
    """Refuse what cannot be written, before anything is computed."""
    if model is not None:
        check_file(model, (".json",))
    if plot is not None:
        check_file(plot, SUFFIXES)


def write_model(found: Fit, path: str | os.PathLike) -> None:
    """An entry per stream, as `replay` takes it."""
    with atomic_path(path) as temporary:
        temporary.write_text(
            json.dumps(found.model, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
