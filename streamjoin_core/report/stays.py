"""What fairness is made of: how long tuples stayed, who left too early, and who stayed idle."""

import numpy as np

from streamjoin_core.engine.stays import Stays
from streamjoin_core.report.measures import share
from streamjoin_core.trace.units import UNITS_PER_SECOND

QUANTILES = {"p10": 10, "p25": 25, "median": 50, "p75": 75, "p90": 90, "p99": 99}


def stay_measures(stays: Stays, time_unit: str | None) -> dict:
    """Of all tuples that left; times in seconds for timestamps, else in units of time.

    `lifetimes` are None if nobody left. A quantile is the smallest lifetime that so many percent do
    not exceed.
    """
    unit = UNITS_PER_SECOND[time_unit]
    ascending = np.sort(stays.lifetime)
    number = len(ascending)
    lifetimes = None
    if number:
        places = {name: -(-percent * number // 100) - 1 for name, percent in QUANTILES.items()}
        places = {"least": 0, **places, "most": number - 1}
        lifetimes = {name: int(ascending[place]) / unit for name, place in places.items()}
    premature = int(stays.is_premature.sum())
    idle, total = (sum(times.tolist()) for times in (stays.idle, stays.lifetime))
    return {
        "left": number,
        "lifetimes": lifetimes,
        "premature": premature,
        "premature_share": share(premature, number),
        "unproductive_time": idle / unit,
        "unproductive_share": share(idle, total),
    }
