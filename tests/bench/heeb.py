"""HEEB on TOWER: tuples per second, against PROB in the same run, and against the defining sum.

Without a window PROB holds on to the first tuples of a trend for ever, so that nothing moves in its
memory; so it has the window 10:15 that the paper gives it, and FIFO is shown as well.
"""

import time

import streamjoin_core as sj
from streamjoin_core.checks.cases import join_of
from streamjoin_core.engine.joining import Join, JoinTask
from streamjoin_core.policies.registry import find_policy

STEPS = 500_000
STEPS_OF_SUMS = 20_000
REPEATS = 3
HINT = (10, 15)
GOALS = {10: 3e6, 1_000: 200e3}


def rows() -> list[dict]:
    trace, short = (sj.generate("tower", steps=n, seed=1) for n in (STEPS, STEPS_OF_SUMS))
    join, hinted = join_of(trace, window=None), join_of(trace, window=HINT)
    short = join_of(short, window=None)
    table = []
    for mem, goal in GOALS.items():
        speed = _speed(join, "heeb", mem)
        name = f"heeb: TOWER, memory {mem:,}"
        table.append({"name": name, "ours": speed, "unit": "tuples/s", "goal": goal})
        peers = {"prob, window 10:15": (hinted, "prob"), "prob": (join, "prob")}
        for peer, (on, policy) in (peers | {"fifo": (join, "fifo")}).items():
            other = _speed(on, policy, mem)
            found = {"ours": speed, "peer": other, "ratio": speed / other, "unit": "tuples/s"}
            row = {"name": f"{name}, against {peer}", **found}
            table.append(row | ({"target": 1 / 3} if mem == 10 and on is hinted else {}))
    fast = _speed(short, "heeb", 10)
    for evaluation in ("direct", "time", "value"):
        slow = _speed(short, "heeb", 10, evaluation=evaluation)
        found = {"ours": fast, "peer": slow, "ratio": fast / slow, "unit": "tuples/s"}
        table.append({"name": f"heeb: look-ups against evaluation {evaluation}", **found})
    return table


def _speed(join: Join, name: str, mem: int, **params) -> float:
    policy = find_policy(name)
    model = join.trace.metadata["model"]
    task = JoinTask(join, policy.parameters(**params), (mem,), model=model)
    seconds = []
    for _ in range(REPEATS + 1):  # the first one compiles
        start = time.perf_counter()
        policy.joining(task)
        seconds.append(time.perf_counter() - start)
    return len(join.trace) / min(seconds)
