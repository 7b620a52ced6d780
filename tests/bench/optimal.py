"""The offline optimum against OR-tools and networkx, and how it scales.

OR-tools solves the same arcs, and its clock runs only while it solves; equal values are asserted.
Run as a module with a number of arrivals and a memory, this prints seconds and MB of one solution.
"""

import subprocess
import sys
import time
from resource import RUSAGE_SELF, getrusage

import numpy as np

from streamjoin_core.engine.joining import Join
from streamjoin_core.optimal import solve
from streamjoin_core.optimal.benefit import find_benefit
from streamjoin_core.optimal.match_flow import add_match_units, new_match_state
from streamjoin_core.optimal.match_graph import match_graph
from streamjoin_core.optimal.peers import peer_solve
from streamjoin_core.trace.scenarios import generate
from streamjoin_core.trace.units import LONGEST
from tests.bench.joining import join_with_window, zipf_join

STEPS = 5_000
MEMORIES = (10, 50)
WINDOW = 500
REPEATS = 5
TARGET = 50
END_TO_END_TARGET = 500


def tower(steps: int = STEPS) -> Join:
    return join_with_window(generate("tower", steps=steps), LONGEST)


def zipf(arrivals: int = 2 * STEPS, keys: int = 50) -> Join:
    return join_with_window(zipf_join(arrivals, keys), WINDOW)


def rows() -> list[dict]:
    """Seconds, ours and theirs."""
    _compile()
    table = []
    for name, join in (("TOWER", tower()), ("Zipf", zipf())):
        for mem in MEMORIES:
            peer = peer_solve(join, (mem,), graph="match")
            title = f"optimum, match graph of {name}, memory {mem}, against OR-tools"
            table.append(_against(peer, title, TARGET, *_solve_match_graph(join, mem)))
            if name == "Zipf":
                title = f"optimum, from trace to value, {name}, memory {mem}, against OR-tools"
                table.append(_against(peer, title, END_TO_END_TARGET, *_solve(join, mem)))
    table += [
        *_scale_rows(1_000_000, 100, goal_seconds=60, goal_megabytes=4_000),
        *_scale_rows(10_000_000, 10, goal_seconds=600, goal_megabytes=6_000),
        *_scaling(),
        _papers_row(300, 10),
    ]
    return table


def _scaling() -> list[dict]:
    """Time per arrival and unit of memory, from 10^4 to 10^7 arrivals: about the same."""
    series = []
    for arrivals in (10**4, 10**5, 10**6, 10**7):
        join = zipf(arrivals, keys=1_000)
        _, seconds = _solve(join, 10, repeats=1 if arrivals > 10**5 else REPEATS)
        name = f"optimum, per arrival and unit of memory, {arrivals:,} arrivals, memory 10"
        series.append({"name": name, "ours": 1e9 * seconds / (arrivals * 10), "unit": "ns"})
    return series


def _compile() -> None:
    """Let nobody's clock see the compiler."""
    small = zipf(100, keys=5)
    for graph in ("key", "match"):
        solve(small, [(2,)], graph=graph)
    _solve_match_graph(small, 2)


def _against(peer, name: str, target: int, value: int, seconds: float) -> dict:
    if value != peer.value:
        raise AssertionError(f"{name}: ours is {value}, theirs {peer.value}")
    return {
        "name": name,
        "ours": seconds,
        "peer": peer.seconds_to_solve,
        "ratio": peer.seconds_to_solve / seconds,
        "target": target,
        "unit": "s",
    }


def _solve(join: Join, mem: int, repeats: int = REPEATS) -> tuple[int, float]:
    """The optimum, and the best time from the trace in memory to it."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        (optimum,) = solve(join, [(mem,)]).optima
        best = min(best, time.perf_counter() - start)
    return optimum.lower, best


def _solve_match_graph(join: Join, mem: int) -> tuple[int, float]:
    """The optimum, and the best time of the solver alone."""
    graph = match_graph(join, find_benefit(join, "results"))
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        state = new_match_state(graph, mem)
        add_match_units(state, mem)
        best = min(best, time.perf_counter() - start)
    return int(state.flow.gains.sum()), best


def _scale_rows(arrivals: int, mem: int, goal_seconds: float, goal_megabytes: float) -> list[dict]:
    """One solution in a process of its own, whose memory can be measured."""
    command = [sys.executable, "-m", __name__, str(arrivals), str(mem)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, megabytes = map(float, done.stdout.split())
    name = f"optimum of {arrivals:,} arrivals, memory {mem}"
    return [
        {"name": name, "ours": seconds, "peer": None, "unit": "s", "goal": goal_seconds},
        {"name": name, "ours": megabytes, "peer": None, "unit": "MB", "goal": goal_megabytes},
    ]


def _papers_row(steps: int, mem: int) -> dict:
    join = tower(steps)
    start = time.perf_counter()
    value = papers_optimum(join, mem)
    theirs = time.perf_counter() - start
    ours, seconds = _solve(join, mem)
    if ours != value:
        raise AssertionError(f"ours is {ours}, the papers' graph says {value}")
    return {
        "name": f"optimum, TOWER of {steps} steps, against the papers' graph with networkx",
        "ours": seconds,
        "peer": theirs,
        "ratio": theirs / seconds,
        "unit": "s",
    }


def papers_optimum(join: Join, mem: int) -> int:
    """The graph of 001, section 3.3.1, which has a copy of every live tuple in every step.

    A tuple's copies end with its last match. Free slots, which the papers leave out as their memory
    is full from the start, are one more node in each step.
    """
    import networkx

    matches = match_graph(join, find_benefit(join, "results"))
    graph = networkx.DiGraph()
    arrivals = [[] for _ in range(matches.number_of_steps)]
    copies = [[] for _ in range(matches.number_of_steps)]
    for row in range(len(join.rows.time)):
        first, end = matches.stops_of[row], matches.stops_of[row + 1]
        if first < end:
            steps = matches.step[first:end].tolist()
            gains = np.diff(matches.gain[first:end])
            arrivals[steps[0]].append(row)
            for step in range(steps[0] + 1, steps[-1] + 1):
                gain = int(gains[np.array(steps[1:]) == step].sum())
                graph.add_edge((row, step - 1), (row, step), capacity=1, weight=-gain)
                copies[step].append(row)
    for step, here in enumerate(arrivals):
        for old in copies[step]:
            graph.add_edge((old, step), ("free", step), capacity=1, weight=0)
            for new in here:
                graph.add_edge((old, step), (new, step), capacity=1, weight=0)
        for new in here:
            graph.add_edge(("free", step), (new, step), capacity=1, weight=0)
        if step > 0:
            graph.add_edge(("free", step - 1), ("free", step), capacity=mem, weight=0)
    graph.nodes["free", 0]["demand"] = -mem
    graph.nodes["free", len(arrivals) - 1]["demand"] = mem
    cost, _ = networkx.network_simplex(graph)
    return -cost


if __name__ == "__main__":
    _compile()
    _, elapsed = _solve(zipf(int(sys.argv[1]), keys=1_000), int(sys.argv[2]), repeats=1)
    print(elapsed, getrusage(RUSAGE_SELF).ru_maxrss / 1024)
