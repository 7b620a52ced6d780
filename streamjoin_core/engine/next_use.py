"""When each object is referenced again: the one thing that clairvoyant policies know."""

import numpy as np

from streamjoin_core.engine.compiled import compiled


@compiled
def next_use(keys, number_of_keys):
    """Per row, the row of the next reference to its key, or the number of rows if none follows."""
    rows = len(keys)
    upcoming = np.full(number_of_keys, rows, np.uint32)
    result = np.empty(rows, np.uint32)
    for row in range(rows - 1, -1, -1):
        key = keys[row]
        result[row] = upcoming[key]
        upcoming[key] = row
    return result
