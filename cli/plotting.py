"""Where a chart goes: into a file, or with `-` into the terminal."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from streamjoin_core.errors import InputError

if TYPE_CHECKING:
    from streamjoin_core.report.chart import Chart

TERMINAL = Path("-")


def check_plot(path: Path | None, as_json: bool) -> None:
    """Refuse what cannot be drawn, before anything is computed."""
    from streamjoin_core.files import check_file
    from streamjoin_core.report.picture import SUFFIXES

    if path == TERMINAL and as_json:
        raise InputError("stdout takes either JSON or a drawing: leave out --json or --plot -")
    if path is not None and path != TERMINAL:
        check_file(path, SUFFIXES)


def show_chart(chart: "Chart", path: Path | None) -> None:
    """Draw a chart, if it is wanted."""
    from streamjoin_core.report.plot import plot_chart

    show_charts([chart], path, lambda: plot_chart(chart, path))


def show_charts(charts: Iterable["Chart"], path: Path | None, to_file: Callable) -> None:
    """Draw charts in the terminal, or make a file of them in a way of its own, if it is wanted."""
    if path == TERMINAL:
        from cli.output import print_table
        from streamjoin_core.report.chart_text import chart_text

        for chart in charts:
            print_table("", chart_text(chart))
    elif path is not None:
        to_file()
