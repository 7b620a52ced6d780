"""From losses tuple by tuple to tables: by cause, by stream, by key, over time, and the worst."""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from streamjoin_core.engine.unlimited import EXACT
from streamjoin_core.explanation.counting import partners_between
from streamjoin_core.explanation.fates import CAUSES
from streamjoin_core.explanation.report import Cause, Decision, Explanation, Key, Period, Stream
from streamjoin_core.optimal.walk import step_starts
from streamjoin_core.trace.trace import Trace
from streamjoin_core.trace.units import format_time

if TYPE_CHECKING:
    from streamjoin_core.explanation.run import Analysis

_PERIODS = 40


def summarise(analysis: "Analysis", top: int) -> Explanation:
    """What a person wants to know of an analysis."""
    losses, trace = analysis.losses, analysis.join.trace
    optimum = None
    if analysis.best is not None:
        optimum = int(losses.arrived_to_optimum.sum())
    return Explanation(
        trace=trace.account(),
        options=analysis.prepared.options,
        label=analysis.job.label,
        mem=analysis.job.mem,
        exact=int(analysis.join.unlimited.pairs[EXACT]),
        results=int(losses.produced.sum()),
        optimum=optimum,
        only_optimum=_total(losses.had_by_optimum),
        only_run=_total(losses.only_here),
        causes=_causes(analysis),
        streams=_streams(analysis),
        keys=_keys(analysis, top),
        periods=_periods(analysis),
        worst=_worst(analysis, top),
    )


def _total(counts: np.ndarray | None, chosen: np.ndarray | slice = slice(None)) -> int | None:
    return None if counts is None else int(counts[chosen].sum())


def _causes(analysis: "Analysis") -> tuple[Cause, ...]:
    losses = analysis.losses
    found = []
    for way, cause in CAUSES.items():
        chosen = (analysis.fates.way == way) & (losses.lost > 0)
        if chosen.any():
            found.append(
                Cause(
                    cause,
                    int(np.count_nonzero(chosen)),
                    _total(losses.lost, chosen),
                    _total(losses.had_by_optimum, chosen),
                    _total(losses.beside_idle, chosen),
                )
            )
    return tuple(found)


def _streams(analysis: "Analysis") -> tuple[Stream, ...]:
    losses, trace = analysis.losses, analysis.join.trace
    return tuple(
        Stream(
            label,
            int(np.count_nonzero(trace.stream == side)),
            _total(losses.lost, trace.stream == side),
            _total(losses.had_by_optimum, trace.stream == side),
        )
        for side, label in enumerate(trace.labels)
    )


def _keys(analysis: "Analysis", top: int) -> tuple[Key, ...]:
    """Pairs go by the key of their earlier tuple, which is the one that is lost."""
    losses, trace = analysis.losses, analysis.join.trace

    def by_key(counts):
        return np.bincount(trace.key, counts, minlength=len(trace.key_values)).astype(np.int64)

    lost, produced = by_key(losses.lost), by_key(losses.produced)
    had = None if losses.had_by_optimum is None else by_key(losses.had_by_optimum)
    largest = np.argsort(-lost, kind="stable")[:top]
    return tuple(
        Key(
            _plain(trace.key_values[key]),
            int(lost[key] + produced[key]),
            int(produced[key]),
            int(lost[key]),
            None if had is None else int(had[key]),
        )
        for key in largest
        if lost[key] > 0
    )


def _periods(analysis: "Analysis") -> tuple[Period, ...]:
    losses, trace = analysis.losses, analysis.join.trace
    starts = step_starts(trace.time)
    steps = len(starts) - 1
    number = min(_PERIODS, steps)
    bounds = [starts[steps * place // number] for place in range(number + 1)] if number else []
    return tuple(
        Period(
            int(trace.time[first]),
            moment(trace, first),
            moment(trace, end - 1),
            _total(losses.brought, slice(first, end)),
            _total(losses.arrived_to, slice(first, end)),
            _total(losses.arrived_to_optimum, slice(first, end)),
        )
        for first, end in pairwise(bounds)
    )


def _worst(analysis: "Analysis", top: int) -> tuple[Decision, ...]:
    """By what the optimum has of it, if that is known, then by all that was lost."""
    losses, fates, trace = analysis.losses, analysis.fates, analysis.join.trace
    first = losses.lost if losses.had_by_optimum is None else losses.had_by_optimum
    order = np.lexsort((np.arange(len(first)), -losses.lost, -first))[:top]
    starts = step_starts(trace.time)
    decisions = []
    for row in order[losses.lost[order] > 0].tolist():
        rival = int(fates.rival[row])
        decisions.append(
            Decision(
                row=row,
                time=moment(trace, row),
                stream=_plain(trace.labels[trace.stream[row]]),
                key=_plain(trace.key_values[trace.key[row]]),
                cause=CAUSES[int(fates.way[row])],
                left_at=moment(trace, starts[fates.left_step[row]]),
                produced=int(losses.produced[row]),
                lost=int(losses.lost[row]),
                had_by_optimum=_total(losses.had_by_optimum, slice(row, row + 1)),
                stayed_row=None if rival < 0 else rival,
                stayed_key=None if rival < 0 else _plain(trace.key_values[trace.key[rival]]),
                stayed_produced=None if rival < 0 else _from_then_on(analysis, row, rival),
            )
        )
    return tuple(decisions)


def _from_then_on(analysis: "Analysis", row: int, rival: int) -> int:
    """The results of the one that stayed, after the other had left."""
    fates = analysis.fates
    low = np.full(len(fates.until), len(fates.until))
    low[rival] = fates.until[row]
    number, _ = partners_between(analysis.join, analysis.losses.partners, low, fates.until)
    return int(number[rival])


def moment(trace: Trace, row: int) -> str | int:
    """The time of a row, readable where it is a timestamp."""
    time = int(trace.time[row])
    return time if trace.time_unit is None else format_time(time, trace.time_unit)


def _plain(value):
    """As JSON can have it."""
    return value.item() if isinstance(value, np.generic) else value
