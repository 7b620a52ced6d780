"""What of a run's memory and chance each partition gets."""

import numpy as np

from streamjoin_core.trace.mixing import mix


def memory_share(mem: int | None, number: int, partitions: int) -> int | None:
    """The memory of a partition: all get the same, but for the first ones, which get what is left.

    >>> [memory_share(11, number, 4) for number in range(4)]
    [3, 3, 3, 2]
    """
    if mem is None:
        return None
    return mem // partitions + (number < mem % partitions)


def partition_seed(seed: int, number: int) -> int:
    """The seed of a partition: the first one has the run's own, the others' follow from both.

    >>> [partition_seed(7, number) for number in range(3)]
    [7, 7859098847885415235, 4847661649411169548]
    """
    if number == 0:
        return seed
    words = mix(np.array([seed], np.uint64)) + np.uint64(number)
    return int(mix(words)[0] >> np.uint64(1))
