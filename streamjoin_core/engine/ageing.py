"""Policies that go by age need no structure of their own: memory is in order of arrival."""

from streamjoin_core.engine.compiled import entry_point, inner
from streamjoin_core.engine.loop import BOTH, replay_join
from streamjoin_core.engine.memory import NONE

NO_STATE = (0,)


@inner
def nothing_seen(state, memory, stream, key):
    pass


@inner
def nothing_moves(state, memory, slot):
    pass


@inner
def oldest(state, memory, part):
    """The slot of the tuple that arrived first."""
    if part != BOTH:
        return memory.oldest[part]
    left, right = memory.oldest[0], memory.oldest[1]
    if left == NONE or (right != NONE and memory.row[right] < memory.row[left]):
        return right
    return left


@inner
def never_yields(state, memory, stream, key, row, since, slot):
    return False


@entry_point
def replay_oldest_first(run, state):
    replay_join(run, state, nothing_seen, nothing_moves, nothing_moves, oldest, never_yields)
