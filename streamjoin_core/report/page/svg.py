"""Charts as SVG inside a page, in the page's own colours."""

from html import escape
from math import floor, isnan, log10

from streamjoin_core.report.chart import Chart, Line
from streamjoin_core.trace.units import format_time

_WIDTH, _HEIGHT = 640, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 12, 44  # margins
_TICKS = 5
_MOST_MARKED = 60  # points of a line that tell their value


def chart_figure(chart: Chart, caption: str) -> str:
    """A figure with its caption and, for several lines, a legend."""
    legend = ""
    if len(chart.lines) > 1:
        entries = "".join(
            f'<li><svg viewBox="0 0 28 10" aria-hidden="true"><path class="line c{place % 8}'
            f'{_dashed(line)}" d="M1 5H27"/></svg>{escape(line.label)}</li>'
            for place, line in enumerate(chart.lines)
        )
        legend = f'<ul class="legend">{entries}</ul>'
    return f"<figure>{chart_svg(chart)}{legend}<figcaption>{escape(caption)}</figcaption></figure>"


def chart_svg(chart: Chart) -> str:
    """The chart alone, with a text for those who do not see it."""
    scale = _Scale(chart)
    head = (
        f'<svg class="chart" role="img" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'aria-label="{escape(alternative(chart))}">'
    )
    if not scale.has_points:
        return (
            f'{head}<text x="{_WIDTH / 2}" y="{_HEIGHT / 2}" class="label">no values</text></svg>'
        )
    drawn = [_line(line, place, scale) for place, line in enumerate(chart.lines)]
    return head + _axes(chart, scale) + "".join(drawn) + "</svg>"


def alternative(chart: Chart) -> str:
    """What the chart shows, in words."""
    told = []
    for line in chart.lines:
        points = _defined(line)
        if points:
            (x, y), (last_x, last_y) = points[0], points[-1]
            places = (_position(chart, x), _position(chart, last_x))
            told.append(f"{line.label} from {y:.3g} at {places[0]} to {last_y:.3g} at {places[1]}")
    return f"{chart.y_label} over {chart.x_label}: {'; '.join(told) or 'no values'}"


class _Scale:
    """From values to places on the picture; y starts at 0."""

    def __init__(self, chart: Chart):
        points = [point for line in chart.lines for point in _defined(line)]
        highs = [high for line in chart.lines for high in line.high or () if not isnan(high)]
        self.has_points = bool(points)
        if points:
            self.left, self.right = min(x for x, _ in points), max(x for x, _ in points)
            self.top = max([y for _, y in points] + highs) or 1.0

    def x(self, value: float) -> float:
        width = _WIDTH - _LEFT - _RIGHT
        return round(_LEFT + width * (value - self.left) / ((self.right - self.left) or 1), 1)

    def y(self, value: float) -> float:
        height = _HEIGHT - _TOP - _BOTTOM
        return round(_HEIGHT - _BOTTOM - height * max(0.0, value) / self.top, 1)


def _defined(line: Line) -> list[tuple[float, float]]:
    return [point for point in zip(line.x, line.y, strict=True) if not isnan(point[1])]


def _axes(chart: Chart, scale: _Scale) -> str:
    parts = []
    for value in _ticks(0, scale.top):
        y = scale.y(value)
        parts.append(f'<path class="grid" d="M{_LEFT} {y}H{_WIDTH - _RIGHT}"/>')
        parts.append(f'<text class="tick" x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">')
        parts.append(f"{value:g}</text>")
    ticks = _times(scale) if chart.time_unit else _ticks(scale.left, scale.right)
    for value in ticks:
        text = escape(_position(chart, value))
        parts.append(f'<text class="tick" x="{scale.x(value)}" y="{_HEIGHT - _BOTTOM + 17}" ')
        parts.append(f'text-anchor="middle">{text}</text>')
    base = _HEIGHT - _BOTTOM
    parts.append(f'<path class="axis" d="M{_LEFT} {base}H{_WIDTH - _RIGHT}"/>')
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(
        f'<text class="label" x="{middle}" y="{_HEIGHT - 8}">{escape(chart.x_label)}</text>'
    )
    return "".join(parts)


def _ticks(low: float, high: float) -> list[float]:
    """Round values from low to high.

    >>> _ticks(0, 1), _ticks(1, 50)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [10, 20, 30, 40, 50])
    """
    if high <= low:
        return [low]
    rough = (high - low) / _TICKS
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough * 0.999)
    first, last = -floor(-low / step), floor(high / step + 1e-9)
    values = [round(number * step, 12) for number in range(int(first), int(last) + 1)]
    return [int(value) for value in values] if step >= 1 else values


def _times(scale: _Scale) -> list[int]:
    """A quarter, a half and three quarters of the way."""
    span = scale.right - scale.left
    return [int(scale.left + span * part / 4) for part in (1, 2, 3)] if span else [int(scale.left)]


def _position(chart: Chart, x: float) -> str:
    if chart.time_unit:
        return format_time(int(x), chart.time_unit)[:16].replace("T", " ")
    return f"{x:,}" if isinstance(x, int) else f"{x:,g}"


def _line(line: Line, place: int, scale: _Scale) -> str:
    points = [(scale.x(x), scale.y(y)) for x, y in _defined(line)]
    if not points:
        return ""
    colour = f"c{place % 8}"
    parts = []
    if line.low is not None:
        edge = [*zip(line.x, line.high, strict=True)]
        edge += reversed([*zip(line.x, line.low, strict=True)])
        corners = " ".join(f"{scale.x(x)},{scale.y(y)}" for x, y in edge if not isnan(y))
        parts.append(f'<polygon class="area {colour}" points="{corners}"/>')
    path = f"M{points[0][0]} {points[0][1]}"
    for x, y in points[1:]:
        path += f"H{x}V{y}" if line.holds else f"L{x} {y}"
    parts.append(f'<path class="line {colour}{_dashed(line)}" d="{path}"/>')
    if len(points) <= _MOST_MARKED:
        for (x, y), (own_x, own_y) in zip(points, _defined(line), strict=True):
            told = escape(f"{line.label}: {own_y:.4g} at {own_x:,}")
            parts.append(f'<circle class="{colour}" cx="{x}" cy="{y}" r="2.4">')
            parts.append(f"<title>{told}</title></circle>")
    return "".join(parts)


def _dashed(line: Line) -> str:
    return " bound" if line.is_bound else ""
