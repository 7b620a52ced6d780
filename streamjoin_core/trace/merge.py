"""Arrival order by time: for traces recorded out of order and for two files, one per stream."""

import numpy as np


def put_in_time_order(arrays: dict[str, np.ndarray]) -> None:
    """Reorder the arrays of a trace by its times, one after the other to save memory.

    Rows of equal time keep their order. So with the left file's rows laid before the right file's,
    left rows come before right rows, and merging two ascending runs takes linear time.
    """
    order = np.argsort(arrays["time"], kind="stable")
    for role in arrays:
        arrays[role] = arrays[role][order]
