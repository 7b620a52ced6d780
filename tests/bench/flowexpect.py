"""FlowExpect's whole replay against OR-tools solving as many steps' flows, its clock running only
while it solves."""

import time

import numpy as np

from streamjoin_core.engine.joining import Join, JoinTask
from streamjoin_core.models.given import read_entry
from streamjoin_core.policies.registry import find_policy
from tests.bench.optimal import tower

STEPS = 5_000
MEM = 10
LOOKAHEAD = 5
REPEATS = 3
TARGET = 20
SCALE = 10**9


def rows() -> list[dict]:
    join = tower(STEPS)
    ours, theirs = _ours(join), _ortools(join)
    return [
        {
            "name": f"flowexpect, {STEPS:,} steps of TOWER, memory {MEM}, lookahead {LOOKAHEAD}",
            "ours": ours,
            "peer": theirs,
            "ratio": theirs / ours,
            "target": TARGET,
            "unit": "s",
        }
    ]


def _ours(join: Join) -> float:
    policy = find_policy("flowexpect")
    model = join.trace.metadata["model"]
    task = JoinTask(join, policy.parameters(lookahead=LOOKAHEAD), (MEM,), model=model)
    seconds = []
    for _ in range(REPEATS + 1):  # the first one compiles
        start = time.perf_counter()
        policy.joining(task)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def _ortools(join: Join) -> float:
    """Solve the timeline of each step, with its last tuples as candidates."""
    trace = join.trace
    models = [read_entry(trace.metadata["model"][label]) for label in trace.labels]
    values = trace.key_values[trace.key]
    spent = 0.0
    for now in np.unique(trace.time)[MEM:].tolist():
        end = np.searchsorted(trace.time, now, "right")
        candidates = range(max(0, end - MEM - 2), end)
        chains = [
            (0, [_chance(models[1 - trace.stream[row]], values[row], now + d) for d in _ahead(0)])
            for row in candidates
        ]
        for arrival in range(1, LOOKAHEAD):
            for stream in range(2):
                gains = [
                    _meeting(models[stream], models[1 - stream], now + arrival, now + ahead)
                    for ahead in _ahead(arrival)
                ]
                chains.append((arrival, gains))
        spent += _solve(chains)
    return spent * STEPS / (STEPS - MEM)


def _ahead(arrival: int) -> range:
    return range(arrival + 1, LOOKAHEAD + 1)


def _chance(model, value: int, then: int) -> float:
    return float(model.probability(np.array([value]), then)[0])


def _meeting(own, other, arrival: int, ahead: int) -> float:
    near = own.line(arrival) + np.arange(-40, 41)
    return float(own.probability(near, arrival) @ other.probability(near, ahead))


def _solve(chains: list) -> float:
    """Nodes: the time units, then each chain's own; a tuple may be let go at any of them."""
    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    flow = SimpleMinCostFlow()
    for unit in range(LOOKAHEAD):
        flow.add_arc_with_capacity_and_unit_cost(unit, unit + 1, MEM, 0)
    node = LOOKAHEAD + 1
    for arrival, gains in chains:
        before = arrival
        for unit, gain in zip(_ahead(arrival), gains, strict=True):
            flow.add_arc_with_capacity_and_unit_cost(before, node, 1, -round(gain * SCALE))
            flow.add_arc_with_capacity_and_unit_cost(node, unit, 1, 0)
            before, node = node, node + 1
    flow.set_node_supply(0, MEM)
    flow.set_node_supply(LOOKAHEAD, -MEM)
    start = time.perf_counter()
    status = flow.solve()
    spent = time.perf_counter() - start
    if status != flow.OPTIMAL:
        raise AssertionError(f"OR-tools: {status.name}")
    return spent
