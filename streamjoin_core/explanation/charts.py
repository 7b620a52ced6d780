"""The chart of an explanation."""

from streamjoin_core.explanation.report import Explanation, Period
from streamjoin_core.report.chart import Chart, Line, name_of


def recall_chart(told: Explanation) -> Chart:
    """The recall of each period, and the optimum's."""
    periods = [period for period in told.periods if period.exact]
    lines = [_recall(told.label, periods, [period.results for period in periods])]
    if told.optimum is not None:
        best = [period.optimum for period in periods]
        lines.append(_recall("optimum", periods, best, is_bound=True))
    unit = told.options["time_unit"]
    title = f"{name_of(told.trace['path'])}, memory {told.mem:,}"
    return Chart(title, "time", "recall", tuple(lines), time_unit=unit)


def _recall(label: str, periods: list[Period], results: list[int], is_bound=False) -> Line:
    return Line(
        label,
        tuple(period.start for period in periods),
        tuple(got / period.exact for got, period in zip(results, periods, strict=True)),
        is_bound=is_bound,
        holds=True,
    )
