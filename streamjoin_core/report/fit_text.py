"""A fit as a person reads it in a terminal of 80 columns."""

from rich.console import Group
from rich.table import Table
from rich.text import Text

from streamjoin_core.models.fitting._found import Fit, StreamFit, numbers_of
from streamjoin_core.report.table import rows_text

_DOUBTFUL = 0.01  # p-values from which on down residuals tell against a model


def fit_text(found: Fit) -> Group:
    """What was used, and per stream all candidates, how good the best is, and what was done."""
    criterion = found.options["criterion"].upper()
    used = rows_text(found.rows, found.trace["rows"])
    parts = [Text(f"{found.trace['path']}: {used}; * has the smallest {criterion}")]
    for stream in found.streams:
        parts += [Text(""), Text(_arrivals(stream, found)), _candidates(stream)]
        parts += [Text(line) for line in _remarks(stream)]
    return Group(*parts)


def _arrivals(stream: StreamFit, found: Fit) -> str:
    told = f"Stream {stream.label}: {stream.arrivals:,} arrivals, compared by {stream.scored:,}"
    if found.options["problem"] == "caching":
        return f"{told}, each as one unit of time"
    if stream.scored < stream.arrivals - 1:
        told += " that are later than the one before"
    if stream.longest_gap > 1:
        told += f", up to {stream.longest_gap:,} units of time later"
    return told


def _candidates(stream: StreamFit) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold", pad_edge=False)
    table.add_column("", no_wrap=True)
    table.add_column("model", overflow="fold", max_width=15)
    for heading in ("free", "log-lik.", "AIC", "BIC"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("fitted", overflow="fold")
    for one in stream.candidates:
        scores = (f"{score:,.0f}" for score in (one.log_likelihood, one.aic, one.bic))
        fitted = ", ".join(f"{n} {_number(v)}" for n, v in numbers_of(one.entry).items())
        mark = "*" if one is stream.chosen else ""
        table.add_row(mark, one.name, f"{one.parameters:,}", *scores, fitted)
    return table


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


def _remarks(stream: StreamFit) -> list[str]:
    tests = stream.goodness
    p_values = {
        "Kolmogorov-Smirnov": tests.ks_p,
        "chi-square": tests.chi_square_p,
        "Ljung-Box": tests.ljung_box_p,
    }
    told = ", ".join(f"{name} p = {p:.2g}" for name, p in p_values.items())
    doubts = [name for name, p in p_values.items() if p < _DOUBTFUL]
    verdict = (
        f"not as the chosen model has them, by {' and '.join(doubts)}"
        if doubts
        else "as the chosen model has them"
    )
    remarks = [f"Residuals are {verdict}: {told}; neighbours' {tests.autocorrelation:+.3f}"]
    remarks += [f"Not fitted, {kind}: {why}" for kind, why in stream.refused.items()]
    noted = {one.note: None for one in stream.candidates if one.note}
    return remarks + [f"Note: {note}" for note in noted]
