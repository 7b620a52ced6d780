"""Charts drawn with characters, for terminals of 80 columns."""

import numpy as np
from rich.text import Text

from streamjoin_core.report.chart import Chart, Line
from streamjoin_core.trace.units import format_time

_WIDTH, _HEIGHT = 66, 16  # of the area that lines are drawn in
_MARKS = "ox+*#@%&"
_STYLES = ("blue", "red", "green", "magenta", "yellow", "cyan", "bright_red", "bright_black")
_TICKS = 4


def chart_text(chart: Chart) -> Text:
    """The chart; each line has a mark of its own, so that it can be read without colours."""
    area = _Area(chart)
    title = f"  ({chart.title})" if chart.title else ""
    text = Text(f"{chart.y_label}{title}\n", no_wrap=True)
    if not area.has_points:
        return text + Text("nothing to draw: no value is defined")
    cells = area.cells()
    for row in range(_HEIGHT - 1, -1, -1):
        text.append(f"{area.tick(row):>8} |")
        for owner in cells[row]:
            text.append(_MARKS[owner % 8], _STYLES[owner % 8]) if owner >= 0 else text.append(" ")
        text.append("\n")
    first, middle, last = (_position(chart, x) for x in (area.left, area.middle, area.right))
    text.append(f"{'':8} +{'-' * _WIDTH}\n")
    text.append(f"{'':10}{first:<22.22}{middle:^22.22}{last:>22.22}\n")
    text.append(f"{chart.x_label:^{2 * 10 + _WIDTH}}".rstrip())
    if len(chart.lines) > 1:
        text.append("\n")
        for place, line in enumerate(chart.lines):
            text.append(f"  {_MARKS[place % 8]} {line.label}", _STYLES[place % 8])
    return text


class _Area:
    """Where points are drawn: columns over x, rows over y from 0 or the lowest value."""

    def __init__(self, chart: Chart):
        self.lines = [_defined(line) for line in chart.lines]
        x = [value for line in self.lines for value in line.x]
        y = [value for line in self.lines for value in line.y]
        self.has_points = bool(x)
        if self.has_points:
            self.left, self.right = min(x), max(x)
            self.bottom, self.top = min(0, min(y)), max(y)
            self.middle = self.left + (self.right - self.left) / 2
            if chart.counts_x or chart.time_unit:
                self.middle = round(self.middle)

    def tick(self, row: int) -> str:
        """The value at a row, for some rows."""
        if row % ((_HEIGHT - 1) // (_TICKS - 1)) and row != _HEIGHT - 1:
            return ""
        return f"{self.bottom + (self.top - self.bottom) * row / (_HEIGHT - 1):.3g}"

    def cells(self) -> np.ndarray:
        """Per row and column the line that is seen there, the first among several, or -1."""
        cells = np.full((_HEIGHT, _WIDTH), -1)
        columns = np.linspace(self.left, self.right, _WIDTH)
        for place in range(len(self.lines) - 1, -1, -1):
            line = self.lines[place]
            if not line.x:
                continue
            y = _values_at(line, columns)
            seen = np.flatnonzero((columns >= line.x[0]) & (columns <= line.x[-1]))
            if line.x[0] == line.x[-1]:
                # A single point, which may be between columns, or all there is.
                seen = np.array([np.abs(columns - line.x[0]).argmin()])
                y[seen] = line.y[0]
            share = (y[seen] - self.bottom) / ((self.top - self.bottom) or 1)
            cells[np.rint(share * (_HEIGHT - 1)).astype(int), seen] = place
        return cells


def _defined(line: Line) -> Line:
    """The line without its undefined points."""
    points = [point for point in zip(line.x, line.y, strict=True) if not np.isnan(point[1])]
    x, y = zip(*points, strict=True) if points else ((), ())
    return Line(line.label, x, y, holds=line.holds)


def _values_at(line: Line, columns: np.ndarray) -> np.ndarray:
    x, y = np.array(line.x, float), np.array(line.y)
    if line.holds:
        return y[np.clip(np.searchsorted(x, columns, "right") - 1, 0, len(y) - 1)]
    return np.interp(columns, x, y)


def _position(chart: Chart, x: int | float) -> str:
    if chart.time_unit:
        return format_time(int(x), chart.time_unit)
    return f"{x:,}" if isinstance(x, int) else f"{x:.4g}"
