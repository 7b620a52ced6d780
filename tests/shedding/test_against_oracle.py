"""The engine under a budget against the slow one, over all that it can be asked."""

import os
from dataclasses import replace
from math import inf, log1p

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from streamjoin_core.engine.chance import new_chance, wrapping_around
from streamjoin_core.engine.joining import JoinTask, prepare_join, slots_needed
from streamjoin_core.engine.work import ENTERS, PROBES, Sample, new_work
from streamjoin_core.options import parse_split
from streamjoin_core.partitions.work import first_counted_row
from streamjoin_core.policies.registry import parse_policy
from streamjoin_core.report.shed_measures import largest_burst, losses, noted_of
from tests.oracle.slow_shed import slow_shed
from tests.oracle.strategies import dense_traces, seeds, traces, windows
from tests.test_against_oracle import as_trace

EXAMPLES = int(os.environ.get("SJOIN_EXAMPLES", "600"))
FATES = ("cached", "dropped", "evicted", "expired", "left", "shed", "unpaid")


@st.composite
def cases(draw) -> tuple:
    rows = draw(st.one_of(dense_traces(), dense_traces(), dense_traces(), traces(30)))
    size = len(rows)
    truths = st.lists(st.sampled_from([True, True, False]), min_size=size, max_size=size)
    sample = None
    if draw(st.integers(0, 2)) == 0:
        keys = sorted({row[2] for row in rows})
        expected = [
            {key: draw(st.sampled_from([0.0, 0.5, 1.0, 2.25, 6.0])) for key in keys}
            for _ in range(2)
        ]
        chance = draw(st.sampled_from([0.1, 0.5, 0.9, 1.0]))
        sample = (chance, expected, draw(st.booleans()), draw(seeds))
    return rows, {
        "probes": draw(truths),
        "enters": draw(truths),
        "costs": draw(
            st.sampled_from([(1.0, 0.25), (0.5, 1.0), (2.0, 0.75), (0.0, 1.0), (1.0, 0.0)])
        ),
        "rate": draw(st.sampled_from([2.5, 1.0, 0.25, 0.0])),
        "burst": draw(st.sampled_from([5.0, 2.0, 0.5, 100.0])),
        "policy": draw(st.sampled_from(["fifo", "prob", "until-expiry"])),
        "mem": draw(st.sampled_from([40, 4, 2, 1])),
        "split": draw(st.sampled_from(["shared", "shared", "even", "1:3"])),
        "window": draw(st.one_of(st.just(8), windows())),
        "window_kind": draw(st.sampled_from(["time", "tuples"])),
        "warmup": draw(st.sampled_from([0, 0, 2])),
        "sample": sample,
    }


def fast_shed(
    rows, *, probes, enters, costs, rate, burst, policy, mem, split, window, window_kind, warmup,
    sample,
) -> dict:  # fmt: skip
    trace = as_trace(rows)
    join = prepare_join(
        trace,
        window=window if isinstance(window, tuple) else (window, window),
        by_tuples=window_kind == "tuples",
        evict_first=False,
        on="=",
        band=None,
        combination="min",
        first_counted=first_counted_row(trace.time, warmup),
    )
    chosen, params = parse_policy(policy)
    task = JoinTask(join, params, parse_split(split).parts(mem), records=True)
    wanted = np.array(probes, bool) * np.uint8(PROBES) | np.array(enters, bool) * np.uint8(ENTERS)
    options = {} if sample is None else {"sample": as_sample(task, trace, *sample)}
    work = new_work(
        wanted.astype(np.uint8),
        update=costs[0],
        production=costs[1],
        rate=rate,
        burst=burst,
        **options,
    )
    with wrapping_around():
        facts = chosen.joining(replace(task, work=work))
    noted = noted_of(trace.time, facts, work)
    assert largest_burst(noted) <= burst
    importance = facts.results if facts.importance is None else facts.importance
    return {
        "results": int(facts.results.sum()),
        "importance": importance.sum(),
        "losses": {cause: number for cause, number in losses(noted).items() if number},
        "spent": work.spent.tolist(),
        "fates": [FATES[way] for way in noted.way],
    }


def as_sample(task, trace, chance, expected, per_result, seed) -> Sample:
    slots = slots_needed(task, ranks=False)
    by_key = [[side[key] for key in trace.key_values.tolist()] for side in expected]
    return Sample(
        np.array(by_key, float).reshape(2, len(trace.key_values)),
        log1p(-chance) if chance < 1 else -inf,
        per_result,
        np.zeros(slots, np.int32),
        np.zeros(slots, np.int32),
        np.zeros(2, np.int32),
        np.zeros(1),
        new_chance(seed),
    )


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
@given(cases())
def test_budget(case):
    rows, options = case
    assert fast_shed(rows, **options) == slow_shed(rows, **options)
