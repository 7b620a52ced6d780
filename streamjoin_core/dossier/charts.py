"""Charts of several policies beside each other."""

from dataclasses import replace

import numpy as np

from streamjoin_core.age.learn import learn_curves
from streamjoin_core.engine.joining import Join
from streamjoin_core.explanation.charts import recall_chart as recall_of_one
from streamjoin_core.explanation.fates import Fates
from streamjoin_core.explanation.report import Explanation
from streamjoin_core.explanation.run import Analysis
from streamjoin_core.optimal.walk import step_starts
from streamjoin_core.report.age_curve import age_chart as chart_of_curves
from streamjoin_core.report.chart import Chart, Line, coarse_line, name_of
from streamjoin_core.trace.trace import Trace

_RANKS = 60  # points of the curve of keys
_BINS = 30  # of lifetimes


def recall_chart(explanations: tuple[Explanation, ...]) -> Chart:
    """Recall over time of every policy, and the optimum's."""
    charts = [recall_of_one(told) for told in explanations]
    lines = [chart.lines[0] for chart in charts] + list(charts[0].lines[1:])
    return replace(charts[0], lines=tuple(lines))


def left_share_chart(analyses: list[Analysis]) -> Chart:
    """The left stream's share of the used memory over time, of every policy and the optimum."""
    trace = analyses[0].join.trace
    times = trace.time[step_starts(trace.time)[:-1]]
    entries = [(analysis.job.label, analysis.fates) for analysis in analyses]
    if analyses[0].best is not None:
        entries.append(("optimum", analyses[0].best))
    lines = [_left_share(label, analyses[0], fates, times) for label, fates in entries]
    left = trace.labels[0] if trace.labels else "left"
    title = f"{name_of(trace.origin)}, memory {analyses[0].job.mem:,}"
    return Chart(title, "time", f"share of {left}", tuple(lines), time_unit=trace.time_unit)


def _left_share(label: str, analysis: Analysis, fates: Fates, times: np.ndarray) -> Line:
    left, right = fates.held(analysis.join)
    used = left + right > 0
    line = coarse_line(label, times[used], left[used] / (left + right)[used])
    return replace(line, is_bound=label == "optimum")


def lifetimes_chart(analyses: list[Analysis]) -> Chart:
    """How large a share of the tuples that left had lived at least so long."""
    lives = {analysis.job.label: _lifetimes(analysis) for analysis in analyses}
    longest = max([1, *(int(own.max(initial=0)) for own in lives.values())])
    ages = np.unique(np.linspace(0, longest, _BINS + 1).astype(np.int64))
    lines = []
    for label, own in lives.items():
        ordered = np.sort(own)
        reached = len(own) - np.searchsorted(ordered, ages)
        shares = reached / len(own) if len(own) else np.full(len(ages), np.nan)
        lines.append(Line(label, tuple(ages.tolist()), tuple(shares.tolist())))
    unit = analyses[0].join.trace.time_unit or "time units"
    return Chart("", f"lifetime ({unit})", "share that lived so long", tuple(lines))


def _lifetimes(analysis: Analysis) -> np.ndarray:
    """Of those whose fate is known; dropped ones lived no time at all."""
    time, starts = analysis.join.trace.time, step_starts(analysis.join.trace.time)
    gone = analysis.fates.left_step < len(starts) - 1
    return time[starts[analysis.fates.left_step[gone]]] - time[gone]


def age_chart(join: Join) -> Chart:
    """The results of a tuple of each stream by its age."""
    labels = [str(label) for label in join.trace.labels]
    unit = "tuples" if join.rules.by_tuples else join.trace.time_unit or "time units"
    return chart_of_curves(dict(zip(labels, learn_curves(join), strict=False)), unit)


def skew_chart(trace: Trace) -> Chart:
    """How large a share of a stream's arrivals its most frequent keys make up."""
    lines = []
    for side, label in enumerate(trace.labels):
        counts = np.bincount(trace.key[trace.stream == side])
        shares = np.cumsum(np.sort(counts[counts > 0])[::-1]) / max(1, counts.sum())
        ranks = np.unique(np.geomspace(1, max(1, len(shares)), _RANKS).astype(np.int64))
        lines.append(Line(str(label), tuple(ranks.tolist()), tuple(shares[ranks - 1].tolist())))
    return Chart("", "most frequent keys", "share of arrivals", tuple(lines), counts_x=True)
