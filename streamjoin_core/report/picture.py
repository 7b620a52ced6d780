"""The frame of every picture: axes that become a file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from streamjoin_core.files import atomic_path, check_file

SUFFIXES = (".png", ".svg", ".pdf")
# What some formats would put in of the day they were made.
_NO_DATE = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


@contextmanager
def picture(
    path: str | os.PathLike, panels: int = 1, size: tuple[float, float] = (7, 4.2), columns: int = 2
) -> Iterator[list]:
    """Axes to draw on, one for each panel, which become a file, all or nothing.

    `size` is in inches; panels stand in rows of so many columns.
    """
    check_file(path, SUFFIXES)
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="tight")
    FigureCanvasAgg(figure)
    columns = min(columns, panels)
    rows = -(-panels // columns)
    drawn = [figure.add_subplot(rows, columns, number + 1) for number in range(panels)]
    for axes in drawn:
        axes.grid(color="0.9", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0.02)
    yield drawn
    suffix = Path(path).suffix.lower()
    with atomic_path(path) as temporary, matplotlib.rc_context({"svg.hashsalt": "sjoin"}):
        figure.savefig(temporary, dpi=150, metadata=_NO_DATE[suffix])
