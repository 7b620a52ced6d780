"""A picture of what a fitted model leaves unexplained."""

import os

import numpy as np

from streamjoin_core.models.fitting._found import Fit, StreamFit
from streamjoin_core.models.fitting._goodness import correlations_of
from streamjoin_core.report.picture import picture

_DARK, _BRIGHT = "#1f4e79", "#d1603d"
_MOST_POINTS = 5000
_MOST_LAGS = 30


def plot_residuals(found: Fit, path: str | os.PathLike) -> None:
    """Per stream: residuals over time, against a normal distribution, and with their past."""
    streams = len(found.streams)
    with picture(path, 3 * streams, (15, 1.2 + 3 * streams), columns=3) as panels:
        for number, stream in enumerate(found.streams):
            over_time, quantiles, past = panels[3 * number : 3 * number + 3]
            _draw_over_time(over_time, stream, found.time_unit)
            _draw_quantiles(quantiles, stream.residuals)
            _draw_past(past, stream.residuals)


def _draw_over_time(axes, stream: StreamFit, unit: str | None) -> None:
    every = -(-len(stream.residuals) // _MOST_POINTS)
    time = stream.time[::every]
    if unit:
        time = time.astype(f"datetime64[{unit}]")
        axes.tick_params("x", labelrotation=30)
    axes.plot(time, stream.residuals[::every], ".", color=_DARK, markersize=2, alpha=0.5)
    axes.axhline(0, color=_BRIGHT, linewidth=1)
    axes.set_xlabel("time")
    axes.set_ylabel("residual")
    axes.set_title(f"stream {stream.label}: {stream.chosen.name}")


def _draw_quantiles(axes, residuals: np.ndarray) -> None:
    from scipy.special import ndtri

    number = min(len(residuals), _MOST_POINTS)
    share = (np.arange(number) + 0.5) / number
    expected = ndtri(share)
    ends = [expected[0], expected[-1]]
    axes.plot(ends, ends, color=_BRIGHT, linewidth=1)
    axes.plot(expected, np.quantile(residuals, share), ".", color=_DARK, markersize=3)
    axes.set_xlabel("normal")
    axes.set_ylabel("residual")
    axes.set_title("quantiles")


def _draw_past(axes, residuals: np.ndarray) -> None:
    """Correlations, and within which bounds they are luck."""
    correlations = correlations_of(residuals, _MOST_LAGS)
    lags = np.arange(1, len(correlations) + 1)
    luck = 1.96 / np.sqrt(len(residuals))
    axes.axhspan(-luck, luck, color=_BRIGHT, alpha=0.12, linewidth=0)
    axes.vlines(lags, 0, correlations, color=_DARK)
    axes.axhline(0, color="0.6", linewidth=1)
    axes.set_xlabel("arrivals back")
    axes.set_ylabel("autocorrelation")
    axes.set_title("with the past")
