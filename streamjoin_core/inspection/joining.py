"""What the join has to give, and the memory that it takes."""

from math import fsum, isfinite

import numpy as np

from streamjoin_core.engine.joining import prepare_join
from streamjoin_core.engine.needed import IN_WINDOW, NEEDED, find_needs
from streamjoin_core.engine.unlimited import EXACT, SAME_STEP
from streamjoin_core.inspection.arrivals import moment
from streamjoin_core.inspection.question import Question
from streamjoin_core.inspection.report import Joining
from streamjoin_core.trace.trace import Trace


def joining(trace: Trace, question: Question, first_counted: int) -> Joining:
    join = prepare_join(
        trace,
        window=question.window_in(trace),
        by_tuples=question.window_kind == "tuples",
        evict_first=False,
        on=question.on,
        band=question.band,
        combination="min",
        first_counted=first_counted,
    )
    unlimited = join.unlimited
    needs = find_needs(join.rows, join.rules, join.number_of_keys)
    exact, counted = int(unlimited.pairs[EXACT]), len(trace) - first_counted
    has_no_future = unlimited.future == 0
    return Joining(
        exact=exact,
        same_step_results=int(unlimited.pairs[SAME_STEP]),
        exact_importance=_exact_importance(join),
        results_per_arrival_mean=exact / counted if counted else None,
        results_per_arrival_max=int(needs.brought.max()) if counted else None,
        never_join_share=_share(has_no_future & (needs.brought == 0)),
        nothing_to_come_share=_share(has_no_future),
        memory_for_full_recall=int(needs.peak[NEEDED]),
        memory_for_full_recall_time=moment(trace, int(needs.peak_row[NEEDED])),
        most_in_window=int(needs.peak[IN_WINDOW]),
        most_in_window_time=moment(trace, int(needs.peak_row[IN_WINDOW])),
    )


def _exact_importance(join) -> float | None:
    if join.trace.importance is None:
        return None
    total = fsum(join.exact_importance[:, EXACT].tolist())
    return total if isfinite(total) else None


def _share(chosen: np.ndarray) -> float | None:
    return int(np.count_nonzero(chosen)) / len(chosen) if len(chosen) else None
