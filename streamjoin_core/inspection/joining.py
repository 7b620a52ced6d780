"""What the join has to give, and the memory that it takes."""

from math import isfinite

from streamjoin_core.inspection.arrivals import moment
from streamjoin_core.inspection.parts import Part, Timeline
from streamjoin_core.inspection.report import Joining


def joining(part: Part, timeline: Timeline, unit: str | None) -> Joining:
    found, rows = part.joining, part.rows
    return Joining(
        exact=found.exact,
        same_step_results=found.same_step,
        exact_importance=_finite(found.importance),
        results_per_arrival_mean=found.exact / found.counted if found.counted else None,
        results_per_arrival_max=part.most_brought if found.counted else None,
        never_join_share=found.never_join / rows if rows else None,
        nothing_to_come_share=found.nothing_to_come / rows if rows else None,
        memory_for_full_recall=timeline.needed,
        memory_for_full_recall_time=moment(timeline.needed_time, unit),
        most_in_window=timeline.held,
        most_in_window_time=moment(timeline.held_time, unit),
    )


def _finite(total: float | None) -> float | None:
    return total if total is not None and isfinite(total) else None
